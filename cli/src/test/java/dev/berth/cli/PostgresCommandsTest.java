package dev.berth.cli;

import static dev.berth.cli.Cli.berth;
import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.Berth;
import dev.berth.TaskFailedException;
import dev.berth.embedded.LocalPostgres;
import dev.berth.task.Retry;
import dev.berth.task.TaskId;
import dev.berth.task.TaskType;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/** The commands on a real database. */
class PostgresCommandsTest {

  private static final TaskType<Note, Void> NOTE =
      TaskType.of("note", Note.class).retry(Retry.never());

  private static LocalPostgres server;
  private static String url;

  @TempDir Path folder;

  record Note(String text) {}

  @BeforeAll
  static void start() {
    server = LocalPostgres.start();
    url = server.createDatabase("shop");
    assertThat(berth("migrate", "--db", url).text()).contains("Applied ");
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  @Test
  void migratesOnce() {
    assertThat(berth("migrate", "--db", url).text()).contains("The schema is up to date.");
    assertThat(berth("migrate", "--db", url, "--json").json().get("applied")).isEmpty();
  }

  @Test
  void printsTheSchemaWithoutADatabase() {
    assertThat(berth("migrate", "--print").text()).contains("create table berth_private.task");
  }

  @Test
  void asksForADatabase() {
    assertThat(berth("migrate").misuse()).contains("Which database?", "--db", "berth.toml");
    assertThat(berth("task", "list").misuse()).contains("Which database?");
  }

  @Test
  void findsTheDatabaseInTheFile() throws Exception {
    Cli called = berth("queue", "list", "--config", file().toString());
    assertThat(called.exit()).isZero();
    assertThat(called.err()).isEmpty();
  }

  @Test
  void saysWhichFileItFoundInTheCurrentFolder() throws Exception {
    Path file = file();
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                Main.class.getName(),
                "queue",
                "list",
                "--json")
            .directory(folder.toFile())
            .start();
    assertThat(process.inputReader().readLine()).startsWith("[{");
    assertThat(process.errorReader().lines()).containsExactly("Reading " + file.toRealPath());
  }

  /** Names the database as psql would. */
  private Path file() throws IOException {
    String psql =
        url.replaceAll("jdbc:postgresql://([^?]*).*password=(.*)", "postgres://postgres:$2@$1");
    return Files.writeString(
        folder.resolve("berth.toml"), "[store]\nurl = \"%s\"\n".formatted(psql));
  }

  @Test
  void tellsWhatIsWrongWithADatabase() throws Exception {
    String empty = server.createDatabase("empty");
    assertThat(berth("task", "list", "--db", empty).failure())
        .contains("no schema berth yet", "berth migrate");
    String newer = server.createDatabase("newer");
    berth("migrate", "--db", newer).text();
    try (var connection = DriverManager.getConnection(newer);
        var statement = connection.createStatement()) {
      statement.execute("insert into berth_private.schema_version values (999, 'later', 'x')");
    }
    assertThat(berth("task", "list", "--db", newer).failure()).contains("version 999", "newer");
    assertThat(berth("migrate", "--db", newer).failure()).contains("version 999", "newer");
    assertThat(berth("task", "list", "--db", server.jdbcUrl("nowhere")).failure())
        .contains("\"nowhere\" does not exist");
    assertThat(berth("task", "list", "--db", "postgres://me:secret@127.0.0.1:1/shop").failure())
        .contains("127.0.0.1:1", "refused")
        .doesNotContain("secret");
    assertThat(berth("task", "list", "--db", "mysql://h/d").misuse())
        .contains("is not the URL of a PostgreSQL database");
  }

  @Test
  void runsTheDemoOnAGivenDatabase() {
    JsonNode answer = berth("demo", "--tasks", "200", "--db", url, "--json").json();
    assertThat(answer.get("finished").asInt()).isEqualTo(200);
    assertThat(berth("task", "list", "--db", url, "--type", "charge_card").text())
        .contains("FINISHED", "demo-");
  }

  @Test
  void showsTheTasksOfATextOfAllTypes() {
    TaskType<Note, Void> letter = TaskType.of("letter", Note.class);
    try (Berth berth = Berth.open(url)) {
      berth.submit(NOTE, new Note("a"), o -> o.id("order-42").queue("named"));
      berth.submit(letter, new Note("b"), o -> o.id("order-42").queue("named"));
      berth.submit(letter, new Note("b"), o -> o.id("order-43").queue("named"));
    }
    assertThat(berth("task", "show", "order-42", "--db", url).text())
        .contains("type       note", "type       letter", "name       order-42");
    JsonNode both = berth("task", "show", "order-42", "--db", url, "--json").json();
    assertThat(both.findValuesAsString("type")).containsExactly("letter", "note");
    assertThat(both.get(0).get("name").asString()).isEqualTo("order-42");

    assertThat(berth("task", "cancel", "order-42", "--db", url).failure())
        .contains("Tasks of several types are named \"order-42\"", "letter is ", "note is ");
    assertThat(berth("task", "cancel", "order-43", "--db", url).text()).contains("is cancelled.");
    assertThat(berth("explain", "order-43", "--db", url).text()).contains("cancelled");
  }

  @ParameterizedTest
  @ValueSource(strings = {"2026-11-18-12-30", "5d1b5d0c-6a3c-4b7e-9a53-0c5f1f8a2f11"})
  void aTextThatLooksLikeAnIdIsFound(String text) {
    try (Berth berth = Berth.open(url)) {
      berth.submit(NOTE, new Note("a"), o -> o.id(text).queue("named"));
    }
    assertThat(berth("task", "show", text, "--db", url).text()).contains("name       " + text);
    assertThat(berth("task", "show", text, "--db", url, "--json").json()).hasSize(1);
    assertThat(berth("task", "cancel", text, "--db", url).text()).contains("is cancelled.");
    assertThat(berth("explain", text, "--db", url).text()).contains("is cancelled since");
  }

  @Test
  void listsAndShowsTasks() {
    TaskId id = submit("Grüße", "listed");
    String table = berth("task", "list", "--db", url, "--queue", "listed").text();
    assertThat(table.lines()).hasSize(2);
    assertThat(table).startsWith("ID ").contains(id.toString(), "note", "PENDING");
    JsonNode list =
        berth("task", "list", "--db", url, "--queue", "listed", "--state", "pending", "--json")
            .json();
    assertThat(list).hasSize(1);
    assertThat(list.get(0).get("payload").get("text").asString()).isEqualTo("Grüße");
    assertThat(berth("task", "list", "--db", url, "--queue", "none").text()).contains("No tasks.");

    assertThat(berth("task", "show", id.toString(), "--db", url).text())
        .contains("state      PENDING", "metadata   {from=test}");
    JsonNode shown = berth("task", "show", id.toString(), "--db", url, "--json").json();
    assertThat(shown.get("metadata").get("from").asString()).isEqualTo("test");
    assertThat(shown.get("attempts")).isEmpty();
    assertThat(shown.get("result").isNull()).isTrue();
  }

  @Test
  void cancelsAndRetriesATask() {
    String id = submit("x", "steered").toString();
    assertThat(berth("task", "retry", id, "--db", url).failure())
        .contains("is pending: only a failed or cancelled task can be retried");
    assertThat(berth("task", "cancel", id, "--db", url, "--reason", "not wanted").text())
        .contains("Task " + id + " is cancelled.");
    assertThat(berth("task", "cancel", id, "--db", url).text()).contains("was already cancelled");
    assertThat(berth("task", "show", id, "--db", url).text()).contains("CANCELLED", "not wanted");
    JsonNode retried = berth("task", "retry", id, "--db", url, "--json").json();
    assertThat(retried.get("applied").asString()).isEqualTo("DONE");
    assertThat(berth("task", "show", id, "--db", url).text()).contains("state      PENDING");
  }

  @Test
  void saysThatATaskIsUnknown() {
    String id = TaskId.next().toString();
    for (String verb : List.of("show", "cancel", "retry")) {
      assertThat(berth("task", verb, id, "--db", url).failure()).contains("There is no task " + id);
    }
    assertThat(berth("task", "show", "42", "--db", url).failure())
        .contains("There is no task \"42\"", "neither a task id");
  }

  @Test
  void pausesAndResumesAQueue() {
    submit("x", "night");
    assertThat(berth("queue", "pause", "night", "--db", url).text())
        .contains("Queue night is paused.");
    assertThat(berth("queue", "pause", "night", "--db", url).text()).contains("already paused");
    assertThat(berth("queue", "list", "--db", url).text()).containsPattern("night .* paused");
    JsonNode night = queue("night");
    assertThat(night.get("paused").asBoolean()).isTrue();
    assertThat(night.get("ready").asInt()).isEqualTo(1);
    assertThat(berth("queue", "resume", "night", "--db", url).text())
        .contains("Queue night is running.");
    assertThat(queue("night").get("paused").asBoolean()).isFalse();
  }

  @Test
  void showsTheWorkerThatRunsATaskAndTheAttemptThatFailed() throws Exception {
    var running = new CountDownLatch(1);
    var goOn = new CountDownLatch(1);
    var type = NOTE.queue("busy");
    TaskId id;
    try (Berth berth = Berth.open(url);
        var worker =
            berth
                .worker()
                .name("packer")
                .handle(
                    type,
                    (note, task) -> {
                      running.countDown();
                      goOn.await();
                      throw new IllegalStateException("The box is broken");
                    })
                .start()) {
      id = berth.submit(type, new Note("x"));
      running.await();
      assertThat(berth("worker", "list", "--db", url).text()).contains("packer", "busy");
      JsonNode session = berth("worker", "list", "--db", url, "--json").json().get(0);
      assertThat(session.get("running").asInt()).isEqualTo(1);
      assertThat(berth("task", "show", id.toString(), "--db", url).text())
          .contains("RUNNING", "worker     packer");
      goOn.countDown();
      await(berth, id);
    }
    assertThat(berth("worker", "list", "--db", url).text()).contains("No worker is alive.");
    assertThat(berth("task", "show", id.toString(), "--db", url).text())
        .contains("state      FAILED", "ATTEMPT", "packer", "The box is broken");
    assertThat(berth("task", "cancel", id.toString(), "--db", url).failure())
        .contains("has ended already (failed)");
  }

  private static void await(Berth berth, TaskId id) throws InterruptedException {
    try {
      berth.await(NOTE, id, Duration.ofSeconds(20));
    } catch (TaskFailedException e) {
      // as it should
    }
  }

  private static JsonNode queue(String name) {
    return StreamSupport.stream(
            berth("queue", "list", "--db", url, "--json").json().spliterator(), false)
        .filter(queue -> queue.get("queue").asString().equals(name))
        .findFirst()
        .orElseThrow();
  }

  private static TaskId submit(String text, String queue) {
    try (Berth berth = Berth.open(url)) {
      return berth.submit(
          NOTE, new Note(text), o -> o.queue(queue).metadata(Map.of("from", "test")));
    }
  }
}
