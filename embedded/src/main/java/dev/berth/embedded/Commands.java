package dev.berth.embedded;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** Runs PostgreSQL's programs in a directory, behind a prefix that says as whom. */
record Commands(Path directory, List<String> prefix) {
  static final Duration PATIENCE = Duration.ofSeconds(60);

  private static final Set<String> ENVIRONMENT = Set.of("PATH", "LD_LIBRARY_PATH", "TZ");

  List<String> line(List<String> command) {
    return Stream.concat(prefix.stream(), command.stream()).toList();
  }

  /** Where the server and the programs around it write what they have to say. */
  Path log() {
    return directory.resolve("server.log");
  }

  /**
   * Runs a command to its end; its output goes to the log, since a server started by it would keep
   * a pipe open.
   */
  void run(List<String> command) {
    String name = Path.of(command.getFirst()).getFileName() + " " + command.get(1);
    var output = ProcessBuilder.Redirect.appendTo(log().toFile());
    if (execute(line(command), output, directory) != 0) {
      throw new IllegalStateException("%s failed: %s".formatted(name, tail(log())));
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

  static boolean succeeds(List<String> command) {
    try {
      return execute(command, ProcessBuilder.Redirect.DISCARD, Path.of("/")) == 0;
    } catch (UncheckedIOException e) {
      return false; // no such program
    }
  }

  /** Hides our environment, with the secrets in it, from a server that runs as somebody else. */
  static ProcessBuilder withoutOurs(ProcessBuilder builder) {
    builder.environment().keySet().retainAll(ENVIRONMENT);
    builder.environment().put("LC_ALL", "C");
    return builder;
  }

  private static int execute(List<String> line, ProcessBuilder.Redirect output, Path directory) {
    var builder = new ProcessBuilder(line).directory(directory.toFile()).redirectErrorStream(true);
    builder.redirectOutput(output);
    try {
      Process process = withoutOurs(builder).start();
      process.getOutputStream().close();
      if (!process.waitFor(PATIENCE.toSeconds() + 5, TimeUnit.SECONDS)) {
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
