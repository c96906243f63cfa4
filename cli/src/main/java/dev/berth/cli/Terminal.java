package dev.berth.cli;

import java.io.IOException;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.Scanner;

/**
 * The terminal behind an output stream.
 *
 * @param unicode whether it shows more than ASCII
 */
record Terminal(int columns, boolean unicode) {

  private static final int USUAL_COLUMNS = 80;

  /** Finds the terminal behind one of the process's output streams, if there is one. */
  @FunctionalInterface
  interface Finder {
    Optional<Terminal> behind(Stream stream);

    /** For output that goes elsewhere. */
    Finder NONE = stream -> Optional.empty();
  }

  enum Stream {
    OUT(1, System.out.charset()),
    ERR(2, System.err.charset());

    private final int descriptor;
    private final Charset charset;

    Stream(int descriptor, Charset charset) {
      this.descriptor = descriptor;
      this.charset = charset;
    }
  }

  /** Asks the shell's test command, since Java can tell only for all streams together. */
  static Optional<Terminal> find(Stream stream) {
    if ("dumb".equals(System.getenv("TERM")) || !isTerminal(stream.descriptor)) {
      return Optional.empty();
    }
    return Optional.of(new Terminal(width(), stream.charset.equals(StandardCharsets.UTF_8)));
  }

  /** A bar with so many cells full and so many empty. */
  String bar(int full, int empty) {
    return unicode ? "█".repeat(full) + "░".repeat(empty) : "#".repeat(full) + ".".repeat(empty);
  }

  private static boolean isTerminal(int descriptor) {
    try {
      return new ProcessBuilder("test", "-t", Integer.toString(descriptor))
              .inheritIO()
              .start()
              .waitFor()
          == 0;
    } catch (IOException e) {
      return false;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  private static int width() {
    try {
      Process stty = new ProcessBuilder("sh", "-c", "stty size </dev/tty 2>/dev/null").start();
      try (Scanner size = new Scanner(stty.getInputStream(), StandardCharsets.US_ASCII)) {
        if (size.hasNextInt()) {
          size.nextInt();
          int columns = size.hasNextInt() ? size.nextInt() : 0;
          return columns > 0 ? columns : USUAL_COLUMNS;
        }
      }
    } catch (IOException e) {
      // no such program
    }
    return USUAL_COLUMNS;
  }
}
