package dev.berth.worker;

import dev.berth.task.Codec;
import dev.berth.task.CodecException;

/** Strings as they are; what begins with "unreadable" or "unwritable" is so. */
class TextCodec implements Codec {

  @Override
  public String encode(Object value) {
    if (value.toString().startsWith("unwritable")) {
      throw new CodecException("Cannot write a String: field x", new IllegalStateException());
    }
    return value.toString();
  }

  @Override
  public <T> T decode(String json, Class<T> as) {
    if (json.startsWith("unreadable")) {
      throw new CodecException("Cannot read a String: field x", new IllegalStateException());
    }
    return as.cast(json);
  }
}
