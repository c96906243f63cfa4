package dev.berth.embedded;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * A small shell process that outlives this one and then cleans up: it waits for the end of its
 * input, which comes when this process closes it or dies, stops the server and deletes a temporary
 * directory. So no server is left behind, not even after {@code kill -9}.
 */
record Guard(Process process) {
  private static final String SCRIPT =
      """
      trap '' INT TERM HUP
      read -r _
      directory=$1 temporary=$2
      shift 2
      "$@"
      if [ "$temporary" = true ]; then rm -rf -- "$directory"; fi
      """;

  static Guard over(Path directory, List<String> stopCommand, boolean temporary) {
    var line = new ArrayList<>(List.of("sh", "-c", SCRIPT, "berth-postgres-guard"));
    line.add(directory.toString());
    line.add(Boolean.toString(temporary));
    line.addAll(stopCommand);
    try {
      return new Guard(
          Commands.withoutOurs(new ProcessBuilder(line))
              .directory(Path.of("/").toFile())
              .redirectOutput(ProcessBuilder.Redirect.DISCARD)
              .redirectError(ProcessBuilder.Redirect.DISCARD)
              .start());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Has the guard clean up now, and waits for it. */
  void release(Duration patience) {
    try {
      process.getOutputStream().close();
      if (!process.waitFor(patience.toSeconds(), TimeUnit.SECONDS)) {
        throw new IllegalStateException(
            "PostgreSQL did not stop within " + patience.toSeconds() + " seconds.");
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt(); // the guard goes on without us
    }
  }
}
