package dev.berth.store;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * How many bytes the payload, the metadata and the result of a task may have, each for itself. The
 * number is the store's.
 */
public record SizeCap(int bytes) {

  /** Where nobody has said another one. */
  public static final SizeCap DEFAULT = new SizeCap(1_048_576);

  /** A character has at most so many bytes in UTF-8. */
  private static final int WIDEST = 3;

  /** Says what is wrong with a text that is too large; null: nothing. */
  public @Nullable String tooLarge(String what, String type, String text) {
    int size = (long) text.length() * WIDEST <= bytes ? 0 : text.getBytes(UTF_8).length;
    return size <= bytes
        ? null
        : "The %s of a task of type %s has %d bytes; at most %d are allowed: keep what is large elsewhere and say where it is, or raise the number with berth.set_size_cap"
            .formatted(what, type, size, bytes);
  }

  /** Refuses a submission that is too large. */
  public void check(Submission submission) {
    check("payload", submission.type(), submission.payload());
    StringBuilder metadata = new StringBuilder();
    for (Map.Entry<String, String> pair : submission.metadata().entrySet()) {
      metadata.append(pair.getKey()).append(pair.getValue());
    }
    check("metadata", submission.type(), metadata.toString());
  }

  /** Refuses a text that is too large. */
  public void check(String what, String type, String text) {
    String wrong = tooLarge(what, type, text);
    if (wrong != null) {
      throw new StoreException(StoreException.Kind.INVALID, wrong);
    }
  }
}
