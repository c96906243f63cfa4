package dev.berth.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import dev.berth.Berth;
import dev.berth.store.Submitted;
import dev.berth.task.Step;
import dev.berth.task.TaskId;
import dev.berth.task.TaskState;
import dev.berth.task.TaskType;
import dev.berth.view.TaskView;
import dev.berth.worker.Worker;
import dev.berth.worker.WorkerName;
import java.time.Duration;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The queue for psql and any language: functions to act, views to look. */
class SqlInterfaceTest {

  private final TestDatabase database = TestDatabase.on(Servers.NEWEST);
  private final Berth berth = Berth.on(PostgresStore.of(database.pool()));

  @AfterEach
  void close() {
    berth.close();
    database.close();
  }

  @Test
  void aTaskSubmittedFromSqlRuns() throws Exception {
    CompletableFuture<Map<String, String>> metadata = new CompletableFuture<>();
    try (Worker worker =
        berth
            .worker()
            .pollInterval(Duration.ofHours(1)) // only its wake-up starts it
            .handle(Nap.TYPE, (nap, task) -> metadata.complete(task.metadata()))
            .start()) {
      await().until(() -> worker.stats().exchanges() > 0);
      database.run(
          "select berth.submit('nap', '{\"millis\": 0}', metadata => '{\"tenant\": \"a\"}')");

      assertThat(metadata.get(10, TimeUnit.SECONDS)).containsExactly(Map.entry("tenant", "a"));
      await().until(() -> worker.stats().finished() == 1);
    }
  }

  @Test
  void aSessionNamesItsHost() {
    try (Worker worker = berth.worker().handle(Nap.TYPE, (nap, task) -> nap.take()).start()) {
      assertThat(worker.stats().sessionsLost()).isZero();
      assertThat(database.one("select host from berth.sessions"))
          .isNotBlank()
          .isEqualTo(WorkerName.host().orElseThrow());
    }
  }

  @Test
  void whatIsNotSaidIsTheDefault() {
    TaskView task = submit("select berth.submit('nap')");
    assertThat(task.state()).isEqualTo(TaskState.PENDING);
    assertThat(task.queue()).isEqualTo("default");
    assertThat(task.place().priority()).isEqualTo(5);
    assertThat(task.payload()).isEqualTo("null");
    assertThat(task.input().metadata()).isEmpty();
    assertThat(task.times().due()).isEqualTo(task.times().submitted());
    assertThat(task.id().value().version()).isEqualTo(7);
  }

  @Test
  void everythingCanBeSaid() {
    TaskView task =
        submit(
            """
            select berth.submit('nap', '{"millis": 1}', queue => 'letters', priority => 9,
                                due_at => now() + interval '1 hour', id => '00000000-0000-0000-0000-00000000002a')
            """);
    assertThat(task.id()).isEqualTo(TaskId.of(new UUID(0, 42)));
    assertThat(task.queue()).isEqualTo("letters");
    assertThat(task.place().priority()).isEqualTo(9);
    assertThat(task.times().due()).isAfter(task.times().submitted().plus(Duration.ofMinutes(59)));
    assertThat(database.query("select state from berth_private.task")).containsExactly("waiting");
  }

  @Test
  void aDueTimeInThePastMeansAtOnce() {
    TaskView task = submit("select berth.submit('nap', due_at => '-infinity')");
    assertThat(task.times().due()).isEqualTo(task.times().submitted());
    assertThat(database.query("select state from berth_private.task")).containsExactly("ready");
  }

  @Test
  void anIdIsOneTaskAlsoAfterItEnded() {
    String submit =
        "select berth.submit('nap', '{\"millis\": 0}', id =>"
            + " '00000000-0000-0000-0000-00000000002a')";
    TaskView task = submit(submit);
    submit(submit);
    assertThat(database.count("select count(*) from berth.tasks")).isEqualTo(1);
    try (Worker worker = berth.worker().handle(Nap.TYPE, (nap, t) -> nap.take()).start()) {
      await().until(() -> worker.stats().finished() == 1);
    }
    submit(submit);
    assertThat(database.count("select count(*) from berth.tasks")).isEqualTo(1);
    assertThat(berth.find(task.id()))
        .get()
        .extracting(TaskView::state)
        .isEqualTo(TaskState.FINISHED);
  }

  @Test
  void aNameMakesTheIdThatJavaMakes() {
    TaskView task = submit("select berth.submit('nap', '{\"millis\": 0}', name => 'Grüße 🚢')");

    assertThat(task.input().name()).isEqualTo("Grüße 🚢");
    assertThat(task.id()).isEqualTo(TaskId.named("nap", "Grüße 🚢"));
    assertThat(berth.find(Nap.TYPE, "Grüße 🚢")).contains(task);
    assertThat(berth.find("Grüße 🚢")).containsExactly(task);
    assertThat(berth.trySubmit(Nap.TYPE, new Nap(0), o -> o.id("Grüße 🚢")))
        .isEqualTo(new Submitted.Existing(task.id()));
    assertThat(
            database.query(
                "select berth.submit('other', name => 'Grüße 🚢')"
                    + " union all select berth.submit_step('Grüße', '🚢', 'nap')"))
        .containsExactly(
            TaskId.named("other", "Grüße 🚢").toString(), Step.taskId("Grüße", "🚢").toString());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "select berth.submit('ship', '1', id => '%s') | of type ship was not submitted: this id"
            + " belongs to a task of type nap",
        "select berth.submit('nap', '{\"millis\": 1}', id => '%s') | of type nap with another"
            + " payload",
        "select berth.submit('nap', '{\"millis\": 1}', name => 'a') | (a) of type nap was not"
            + " submitted",
        "select berth.submit('nap', '{\"millis\": 1}', name => 'a', id => '%s') | an id or a name",
        "select berth.submit('nap', name => ' ') | A task needs a name, but it was blank",
        "select berth.submit_step('w', 's', 'ship') | of type ship was not submitted: this id",
        "select berth.submit_step('w', 's', 'nap', '1') | with another payload"
      })
  void anotherTaskUnderAnIdIsRefused(String other, String error) {
    TaskView task = submit("select berth.submit('nap', '{\"millis\": 0}', name => 'a')");
    database.run("select berth.submit_step('w', 's', 'nap')");

    assertThatExceptionOfType(AssertionError.class)
        .isThrownBy(() -> database.run(other.formatted(task.id())))
        .withMessageContaining(error);
    berth.cancel(task.id(), "not wanted");
    assertThatExceptionOfType(AssertionError.class)
        .isThrownBy(() -> database.run(other.formatted(task.id())))
        .withMessageContaining(error);
  }

  /** A batch from SQL is not looked through by the Java client. */
  @Test
  void anotherTaskUnderAnIdOfTheSameBatchIsRefused() {
    String batch =
        "insert into berth.submitting_batch (ids, types, queues, priorities, due_ats, delays,"
            + " payloads, metadata, lanes, limits, weights, said_slots, repeat, advance) select"
            + " array[i, i], '{nap,%s}', '{q,q}', '{5,5}', '{null,null}', '{0,0}', '{1,1}',"
            + " '{null,null}', '{null,null}', '{null,null}', '{null,null}', '{null,null}', true,"
            + " true from berth_private.named_id('nap', 'a') as i";

    assertThatExceptionOfType(AssertionError.class)
        .isThrownBy(() -> database.run(batch.formatted("ship")))
        .withMessageContaining("of type ship was not submitted: this id belongs to a task of type");
    database.run(batch.formatted("nap"));
    assertThat(database.query("select type from berth.tasks")).containsExactly("nap");
  }

  /** The order of names in JSON may be another one with each start of a client. */
  @Test
  void payloadsAreComparedAsWhatTheySay() {
    database.run(
        "select berth.submit('nap', '{\"a\": 1, \"b\": 2}', name => 'a')",
        "select berth.submit('nap', '{\"b\": 2, \"a\": 1.0}', name => 'a', metadata => '{\"x\":"
            + " \"y\"}')");

    assertThat(database.count("select count(*) from berth.tasks")).isEqualTo(1);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "null                                 | A task type needs a name, but it was blank",
        "'  '                                 | A task type needs a name, but it was blank",
        "repeat('x', 201)                     | The task type name"
            + " \"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx…\" has 201 characters; at most 200 are"
            + " allowed",
        "E'a\\tb'                             | The task type name \"a?b\" contains a control"
            + " character",
        "'nap', queue => ''                   | A queue needs a name, but it was blank",
        "'nap', null                          | A task of type nap needs a payload",
        "'nap', priority => 10                | Priority 10 is out of range: use 0 (last) to 9"
            + " (first)",
        "'nap', priority => null              | Priority null is out of range: use 0 (last) to 9"
            + " (first)",
        "'nap', metadata => '[]'              | The metadata of a task is an object of texts, such"
            + " as {\"tenant\": \"a\"}",
        "'nap', metadata => '{\"a\": 1}'      | The metadata of a task is an object of texts, such"
            + " as {\"tenant\": \"a\"}",
        "'nap', metadata => '{\"a\": null}'   | The metadata of a task is an object of texts, such"
            + " as {\"tenant\": \"a\"}",
        "'nap', '{\"millis\": }'              | invalid input syntax for type json"
      })
  void aSubmitThatIsWrongSaysSo(String arguments, String error) {
    assertThatExceptionOfType(AssertionError.class)
        .isThrownBy(() -> database.run("select berth.submit(" + arguments + ")"))
        .withMessageContaining("ERROR: " + error);
    assertThat(database.query("select id from berth.tasks")).isEmpty();
  }

  @Test
  void theViewsShowTasksQueuesSessionsAndAttempts() throws Exception {
    CompletableFuture<Void> open = new CompletableFuture<>();
    TaskView ended = submit("select berth.submit('quick')");
    try (Worker worker =
        berth
            .worker()
            .name("mill")
            .handle(TaskType.of("quick", Object.class), (payload, task) -> {})
            .handle(Nap.TYPE, (nap, task) -> open.get(30, TimeUnit.SECONDS))
            .start()) {
      database.run(
          "select berth.submit('nap', '{\"millis\": 0}')",
          "select berth.submit('unknown')",
          "select berth.submit('nap', queue => 'letters', due_at => now() + interval '1 hour')",
          "select berth.pause('letters')");
      await().until(() -> worker.stats().claimed() == 2 && worker.stats().failed() == 1);

      assertThat(
              database.query(
                  "select concat_ws(' ', type, queue, state, attempt, coalesce(worker, '-'))"
                      + " from berth.tasks order by type, queue"))
          .containsExactly(
              "nap default RUNNING 1 mill",
              "nap letters PENDING 0 -",
              "quick default FAILED 1 mill",
              "unknown default PENDING 0 -");
      assertThat(
              database.query(
                  "select concat_ws(' ', name, paused, waiting, ready, running)"
                      + " from berth.queues order by name"))
          .containsExactly("default f 0 1 1", "letters t 1 0 0");
      assertThat(
              database.query(
                  "select concat_ws(' ', worker, alive, running, max, queues) from berth.sessions"))
          .containsExactly("mill t 1 1000 {default}");
      assertThat(
              database.query("select concat_ws(' ', task_id, outcome, final) from berth.attempts"))
          .containsExactly(ended.id() + " failed t");
      open.complete(null);
      await().until(() -> worker.stats().finished() == 1);
    }
  }

  private TaskView submit(String sql) {
    return berth.find(TaskId.parse(database.one(sql))).orElseThrow();
  }
}
