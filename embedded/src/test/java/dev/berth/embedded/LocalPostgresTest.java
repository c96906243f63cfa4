package dev.berth.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LocalPostgresTest {

  @Test
  void startsWithDurableSettingsAndLeavesNothingBehind() throws SQLException {
    var server = LocalPostgres.start();
    try (server) {
      assertThat(server.describe()).isEqualTo("PostgreSQL 18.6 (embedded)");
      assertThat(Query.one(server.jdbcUrl(), "show fsync")).isEqualTo("on");
      assertThat(Query.one(server.jdbcUrl(), "show synchronous_commit")).isEqualTo("on");
      assertThat(Query.one(server.jdbcUrl(), "show max_connections")).isEqualTo("150");
      assertThat(Query.one(server.jdbcUrl(), "show shared_buffers")).isEqualTo("256MB");
      assertThat(Query.one(server.jdbcUrl(), "show server_encoding")).isEqualTo("UTF8");
    }
    assertThat(server.running()).isFalse();
    assertThat(server.directory()).doesNotExist();
    server.close();
  }

  @Test
  void createsDatabases() throws SQLException {
    try (var server = LocalPostgres.start()) {
      String url = server.createDatabase("berth_1");

      assertThat(Query.one(url, "select current_database()")).isEqualTo("berth_1");
      assertThatThrownBy(() -> server.createDatabase("x; drop"))
          .isInstanceOf(IllegalArgumentException.class);
      assertThatThrownBy(() -> server.createDatabase("berth_1"))
          .hasMessageContaining("already exists");
    }
  }

  @Test
  void createsRolesThatLogInWithItsPassword() throws SQLException {
    try (var server = LocalPostgres.start()) {
      server.createRole("runner", "noinherit");

      String url = server.jdbcUrl().replace("user=postgres", "user=runner");
      assertThat(Query.one(url, "select rolsuper or rolinherit from pg_roles where rolname = user"))
          .isEqualTo("f");
      assertThatThrownBy(() -> server.createRole("x; drop"))
          .isInstanceOf(IllegalArgumentException.class);
    }
  }

  @Test
  void keepsCommittedRowsAcrossStopCrashAndRestart() throws SQLException {
    try (var server = LocalPostgres.start()) {
      String url = server.jdbcUrl();
      Query.run(url, "create table kept (n int)");
      Query.run(url, "insert into kept values (1)");

      server.stop();
      assertThat(server.running()).isFalse();
      assertThatThrownBy(() -> Query.one(url, "select 1")).isInstanceOf(SQLException.class);
      server.restart();
      Query.run(url, "insert into kept values (2)");

      server.crash();
      assertThat(server.running()).isFalse();
      server.restart();
      assertThat(server.jdbcUrl()).isEqualTo(url);
      assertThat(Query.one(url, "select sum(n) from kept")).isEqualTo("3");
    }
  }

  @Test
  void keepsTheDataInADirectoryItWasGiven(@TempDir Path directory) throws Exception {
    var options = LocalPostgres.Options.defaults().directory(directory).setting("work_mem", "5MB");
    try (var server = LocalPostgres.start(options)) {
      Query.run(server.jdbcUrl(), "create table kept as select 42 as n");
    }
    for (String file : List.of("password", "server.log")) {
      assertThat(Files.getPosixFilePermissions(directory.resolve(file)))
          .isEqualTo(PosixFilePermissions.fromString("rw-------"));
    }
    try (var server = LocalPostgres.start(options)) {
      assertThat(Query.one(server.jdbcUrl(), "select n from kept")).isEqualTo("42");
      assertThat(Query.one(server.jdbcUrl(), "show work_mem")).isEqualTo("5MB");
    }
  }

  @Test
  void startsTheOldestSupportedVersion() throws SQLException {
    Path jar = Path.of(System.getProperty("berth.test.oldest-postgres"));
    try (var server = LocalPostgres.start(LocalPostgres.Options.defaults().binariesFrom(jar))) {
      assertThat(server.describe()).startsWith("PostgreSQL 13.").endsWith("(embedded)");
      assertThat(Query.one(server.jdbcUrl(), "show server_version")).startsWith("13.");
    }
  }

  @Test
  void prefersAnInstalledServerAndSaysSo() throws SQLException {
    boolean debianHasOne = Files.isDirectory(Path.of("/usr/lib/postgresql"));
    try (var server = LocalPostgres.start(LocalPostgres.Options.defaults().preferInstalled())) {
      if (debianHasOne) {
        assertThat(server.describe()).endsWith("(installed)");
      }
      assertThat(server.describe())
          .contains(
              Query.one(
                  server.jdbcUrl(),
                  "select split_part(current_setting('server_version'), ' ', 1)"));
    }
  }

  @Test
  void saysWhyItCannotStart() {
    var options = LocalPostgres.Options.defaults().setting("shared_buffers", "a lot");

    assertThatThrownBy(() -> LocalPostgres.start(options))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("shared_buffers");
  }

  @Test
  void endsWithItsProcessEvenWhenThatIsKilled() throws IOException {
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                StartAndWait.class.getName())
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    try (BufferedReader output = process.inputReader()) {
      String url = output.readLine();
      Path directory = Path.of(output.readLine());
      assertThat(directory).exists();

      process.destroyForcibly();

      await().atMost(Duration.ofSeconds(30)).until(() -> Files.notExists(directory));
      assertThatThrownBy(() -> Query.one(url, "select 1")).isInstanceOf(SQLException.class);
    }
  }

  /** A process that starts a server and never ends by itself. */
  static final class StartAndWait {
    public static void main(String[] arguments) throws InterruptedException {
      LocalPostgres server = LocalPostgres.start();
      System.out.println(server.jdbcUrl());
      System.out.println(server.directory());
      Thread.currentThread().join();
    }
  }
}
