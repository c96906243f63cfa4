package dev.berth.cli;

import static dev.berth.cli.Cli.berth;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.berth.embedded.LocalPostgres;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** SQL tasks and topics from the command line. */
class SqlCommandsTest {

  private static LocalPostgres server;
  private static String url;

  @TempDir Path folder;

  @BeforeAll
  static void start() throws SQLException {
    server = LocalPostgres.start();
    url = server.createDatabase("shop");
    berth("migrate", "--db", url).text();
    server.createRole("berth_runner", "noinherit");
    server.createRole("alice");
    run("select berth.allow_launch('alice')");
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  @Test
  void launchesAndRunsUntilItIsStopped() throws Exception {
    String id =
        berth(
                "launch",
                "select 6 * 7 as answer",
                "--topic",
                "a",
                "--topic",
                "b",
                "--timeout",
                "PT5S",
                "--db",
                as("alice"),
                "--json")
            .json()
            .get("id")
            .asString();
    assertThat(berth("launch", "select 1", "--db", as("alice")).text())
        .startsWith("Launched as task ");
    Path file =
        Files.writeString(
            folder.resolve("berth.toml"),
            """
            [sql]
            runner = "%s"
            reserve_connections = 3
            [topics.a]
            max_parallel = 1
            """
                .formatted(as("berth_runner")));
    CompletableFuture<Cli> ended = new CompletableFuture<>();
    Thread worker =
        Thread.ofPlatform()
            .start(() ->
                ended.complete(
                    berth(
                        "worker",
                        "sql",
                        "--db",
                        url,
                        "--parallel",
                        "2",
                        "--config",
                        file.toString())));
    await()
        .atMost(Duration.ofSeconds(30))
        .until(
            () -> one("select count(*) from berth.sql_tasks where state = 'finished'").equals("2"));
    worker.interrupt();

    assertThat(ended.get(30, TimeUnit.SECONDS).text()).startsWith("Running SQL tasks as ");
    assertThat(one("select result from berth.sql_tasks where id = '" + id + "'"))
        .isEqualTo("[{\"answer\": 42}]");
    assertThat(berth("task", "show", id, "--db", url).text()).contains("berth.sql", "FINISHED");
    assertThat(
            berth("limit", "status", "topic/a", "--db", url, "--json").json().get("slots").asInt())
        .isEqualTo(1);
    assertThat(berth("audit", "--db", url).text()).contains("topic/a", "No limit was exceeded.");
  }

  @Test
  void saysWhatIsMissing() {
    assertThat(berth("worker", "sql", "--db", url).misuse())
        .contains("As whom do SQL tasks run?", "--runner");
    assertThat(berth("launch", "select 1", "--db", url).failure()).contains("superuser");
    assertThat(berth("launch", " ; ", "--db", as("alice")).misuse()).contains("needs a statement");
    assertThat(berth("topic", "set", "x", "--db", url).misuse()).contains("What to set?");
    assertThat(berth("topic", "set", "x", "--max-parallel", "-1", "--db", url).misuse())
        .contains("0 (blocks)");
  }

  @Test
  void setsAndResetsTopics() {
    JsonNode set =
        berth(
                "topic",
                "set",
                "reports",
                "--max-parallel",
                "2",
                "--retry-count",
                "3",
                "--delay",
                "PT1S",
                "--db",
                url,
                "--json")
            .json();
    assertThat(set.toString())
        .isEqualTo(
            "{\"topic\":\"reports\",\"max_parallel\":2,\"retry_count\":3,\"delay_ms\":1000,"
                + "\"by_hand\":true,\"pending\":0,\"running\":0}");
    assertThat(berth("topic", "list", "--db", url).text())
        .contains("(default)", "reports", "set by hand", "1.0 s");
    assertThat(berth("topic", "set", "--retry-count", "1", "--db", url).text())
        .startsWith("All topics that say nothing else: ")
        .contains("1 retry");
    assertThat(berth("topic", "reset", "reports", "--db", url).text())
        .startsWith("Topic reports: ")
        .contains("1 retry, no time between");
    assertThat(berth("topic", "reset", "reports", "--db", url).text())
        .contains("It was not set by hand.");
    assertThat(berth("topic", "reset", "--db", url).text()).contains("0 retries");
  }

  private static String as(String role) {
    return url.replace("user=postgres", "user=" + role);
  }

  private static void run(String... statements) throws SQLException {
    try (var connection = DriverManager.getConnection(url);
        var statement = connection.createStatement()) {
      for (String each : statements) {
        statement.execute(each);
      }
    }
  }

  private static String one(String query) throws SQLException {
    try (var connection = DriverManager.getConnection(url);
        var statement = connection.createStatement();
        var row = statement.executeQuery(query)) {
      row.next();
      return row.getString(1);
    }
  }
}
