package dev.berth.task;

import java.util.function.Function;

/** Reads from a payload what a limit or quota is counted by. */
final class KeyValues {

  private KeyValues() {}

  /** The value as text, which must say something: a task without its key has no place to count. */
  static <P> String of(String type, String what, String name, Function<P, ?> of, P payload) {
    Object value = of.apply(payload);
    if (value == null || value.toString().isBlank()) {
      throw new IllegalArgumentException(
          "A task of type "
              + type
              + " needs a "
              + name
              + " for its "
              + what
              + ", but it was "
              + (value == null ? "null" : "blank"));
    }
    return value.toString();
  }
}
