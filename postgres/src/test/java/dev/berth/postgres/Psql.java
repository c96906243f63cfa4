package dev.berth.postgres;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** The client psql, where it is installed. */
final class Psql {

  private Psql() {}

  static boolean installed() {
    return Stream.of(System.getenv("PATH").split(File.pathSeparator))
        .anyMatch(folder -> Files.isExecutable(Path.of(folder, "psql")));
  }

  /** Runs statements in one session; what it prints, without ornaments. */
  static List<String> run(String jdbcUrl, String role, String statements) {
    URI uri = URI.create(jdbcUrl.substring("jdbc:".length()));
    ProcessBuilder psql =
        new ProcessBuilder(
                "psql",
                "-X",
                "-q",
                "-A",
                "-t",
                "-v",
                "ON_ERROR_STOP=1",
                "-h",
                uri.getHost(),
                "-p",
                String.valueOf(uri.getPort()),
                "-U",
                role,
                "-d",
                uri.getPath().substring(1))
            .redirectErrorStream(true);
    psql.environment().put("PGPASSWORD", Sql.password(jdbcUrl));
    try {
      Process process = psql.start();
      try (var in = process.outputWriter()) {
        in.write(statements);
      }
      List<String> lines = process.inputReader().lines().toList();
      if (process.waitFor() != 0) {
        throw new AssertionError(String.join("\n", lines));
      }
      return lines;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }
}
