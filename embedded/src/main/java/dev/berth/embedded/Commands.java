package dev.berth.embedded;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** Runs PostgreSQL's programs in a directory, behind a prefix that says as whom. */
record Commands(Path directory, List<String> prefix) {

  List<String> line(List<String> command) {
    return Stream.concat(prefix.stream(), command.stream()).toList();
  }

  /**
   * Runs a command to its end; its output goes to a file, since a server started by it would keep a
   * pipe open.
   */
  void run(Duration patience, List<String> command) {
    Path output = directory.resolve("commands.log");
    String name = Path.of(command.getFirst()).getFileName() + " " + command.get(1);
    int exit = execute(patience, line(command), output.toFile(), directory);
    if (exit != 0) {
      throw new IllegalStateException("%s failed: %s".formatted(name, tail(output)));
    }
  }

  /** The last lines of a log, for an error message. */
  static String tail(Path file) {
    try {
      List<String> lines = Files.readAllLines(file);
      return String.join(
          System.lineSeparator(), lines.subList(Math.max(0, lines.size() - 10), lines.size()));
    } catch (IOException e) {
      return "(no log: " + e.getMessage() + ")";
    }
  }

  static boolean succeeds(String... command) {
    try {
      return execute(Duration.ofSeconds(10), List.of(command), new File("/dev/null"), Path.of("/"))
          == 0;
    } catch (UncheckedIOException e) {
      return false; // no such program
    }
  }

  private static int execute(Duration patience, List<String> line, File output, Path directory) {
    var builder = new ProcessBuilder(line).directory(directory.toFile()).redirectErrorStream(true);
    builder.redirectOutput(output);
    builder.environment().put("LC_ALL", "C");
    try {
      Process process = builder.start();
      process.getOutputStream().close();
      if (!process.waitFor(patience.toSeconds() + 5, TimeUnit.SECONDS)) {
        process.destroyForcibly();
        throw new IllegalStateException(String.join(" ", line) + " did not end in time.");
      }
      return process.exitValue();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("Interrupted while running " + line.getFirst() + ".", e);
    }
  }
}
