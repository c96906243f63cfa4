package dev.berth.worker;

import dev.berth.value.Texts;
import java.util.Set;

/**
 * A failure as text for the store: class, message, the frames of the user's code, causes. Bounded,
 * because it is stored with each failed attempt, and free of characters that databases refuse.
 */
final class ErrorText {

  private static final int LONGEST = 4_000;
  private static final int FRAMES = 20;
  private static final int CAUSES = 5;
  private static final Set<String> CALLERS =
      Set.of(Runner.class.getName(), WorkerBuilder.class.getName());

  private ErrorText() {}

  static String of(Throwable failure) {
    StringBuilder text = new StringBuilder(512);
    Throwable next = failure;
    for (int depth = 0; next != null && depth < CAUSES && text.length() < LONGEST; depth++) {
      text.append(depth == 0 ? "" : "\nCaused by: ").append(headline(next));
      appendFrames(text, next.getStackTrace());
      next = next.getCause() == next ? null : next.getCause();
    }
    return clean(text.toString());
  }

  /** Class and message; an exception whose own methods fail still has its class. */
  static String headline(Throwable failure) {
    String name = failure.getClass().getName();
    try {
      String message = failure.getMessage();
      return message == null ? name : name + ": " + message;
    } catch (RuntimeException e) {
      return name;
    }
  }

  static String clean(String text) {
    return Texts.clean(text, LONGEST);
  }

  private static void appendFrames(StringBuilder text, StackTraceElement[] frames) {
    int shown = 0;
    for (StackTraceElement frame : frames) {
      if (CALLERS.contains(frame.getClassName())) {
        return; // what called the handler is the same for every failure
      }
      if (++shown > FRAMES) {
        text.append("\n\t…");
        return;
      }
      text.append("\n\tat ").append(frame);
    }
  }
}
