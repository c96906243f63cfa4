package dev.berth.task;

import java.util.ServiceLoader;

/** Turns payloads and results into JSON text and back. */
public interface Codec {

  /** The value as JSON; a value that cannot be written is a {@link CodecException}. */
  String encode(Object value);

  /** The JSON as a value; text that does not fit the class is a {@link CodecException}. */
  <T> T decode(String json, Class<T> as);

  /** The codec found on the class path; berth-jackson brings one. */
  static Codec installed() {
    return ServiceLoader.load(Codec.class)
        .findFirst()
        .orElseThrow(() ->
            new IllegalStateException(
                "No codec found for payloads: add the dependency dev.berth:berth-jackson, or"
                    + " pass your own Codec to Berth.on(store, codec)"));
  }
}
