package dev.berth.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import dev.berth.Berth;
import dev.berth.store.StoreException;
import dev.berth.store.StoreException.Kind;
import dev.berth.task.TaskId;
import dev.berth.task.TaskState;
import dev.berth.task.TaskType;
import dev.berth.view.TaskView;
import dev.berth.worker.Worker;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What goes wrong outside gets a sentence that says what to do, and loses nothing. */
class BadInputTest {

  record Email(String to, int tries) {}

  private static final TaskType<Email, Void> SEND = TaskType.of("send_email", Email.class);

  private final TestDatabase database = TestDatabase.on(Servers.NEWEST);
  private final Berth berth = Berth.on(PostgresStore.of(database.pool()));

  @AfterEach
  void close() {
    berth.close();
    database.close();
  }

  @Test
  void aTaskOfAnUnknownTypeStaysForThoseThatKnowIt() {
    TaskId foreign = berth.submit(TaskType.of("print", Nap.class), new Nap(0));
    berth.submit(Nap.TYPE, new Nap(0));
    try (Worker worker = berth.worker().handle(Nap.TYPE, (nap, task) -> nap.take()).start()) {
      await().until(() -> worker.stats().finished() == 1);
      long exchanges = worker.stats().exchanges();
      await().until(() -> worker.stats().exchanges() > exchanges + 2);
      assertThat(worker.stats().claimed()).isEqualTo(1);
    }
    assertThat(berth.find(foreign))
        .get()
        .extracting(TaskView::state, task -> task.counts().attempt())
        .containsExactly(TaskState.PENDING, 0);

    TaskType<Nap, Void> print = TaskType.of("print", Nap.class);
    try (Worker worker = berth.worker().handle(print, (nap, task) -> nap.take()).start()) {
      await().until(() -> worker.stats().finished() == 1);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "reject, finished, scan, When the quota type/nap is full a submit can",
    "refuse, done, scan, An exchange needs a mode for each queue",
    "refuse, finished, peek, An exchange needs a mode for each queue",
  })
  void aWordThatNobodyKnowsIsRefused(String whenFull, String outcome, String mode, String error) {
    String session =
        database.one(
            "select session_id from berth.open_session(%d, 'w', null, '1 hour', 9, '{nap}', '{q}')"
                .formatted(Migration.NEWEST));
    assertThatExceptionOfType(AssertionError.class)
        .isThrownBy(() ->
            database.run(
                "insert into berth.submitting_batch (ids, types, queues, priorities, due_ats, delays, payloads, repeat, quotas, mosts, when_full) values ('{%s}', '{nap}', '{q}', '{5}', '{null}', '{0}', '{1}', true, '{\"{type/nap}\"}', '{\"{9}\"}', '{\"{%s}\"}')"
                    .formatted(UUID.randomUUID(), whenFull),
                "select * from berth.exchange(%s, 1, '{%s}', '{1}', '{%s}', '{1}', '{0}', '{q}',"
                        .formatted(Sql.caller(session), UUID.randomUUID(), outcome)
                    + " '{null}', '{null}', '{%s}', '{null}', '{nap}', 9)".formatted(mode)))
        .withMessageContaining("ERROR: " + error);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "{\"to\": \"a\"}               | Cannot read Email: field \"tries\" is missing or null, but"
            + " int is needed",
        "{\"to\": \"a\", \"tries\": []}  | Cannot read Email: field \"tries\" is a list, but int is"
            + " needed",
        "[1, 2]                      | Cannot read Email: the whole value is a list, but Email is"
            + " needed",
        "null                        | Cannot read Email: the JSON is null"
      })
  void aPayloadThatCannotBeReadFailsItsTaskAlone(String payload, String error) {
    TaskId bad =
        TaskId.of(
            UUID.fromString(database.one("select berth.submit('send_email', '" + payload + "')")));
    TaskId good = berth.submit(SEND, new Email("ada@example.org", 1));
    try (Worker worker = berth.worker().handle(SEND, (email, task) -> {}).start()) {
      await().until(() -> worker.stats().finished() == 1 && worker.stats().failed() == 1);
    }
    assertThat(berth.find(bad))
        .get()
        .extracting(TaskView::state, TaskView::error, task -> task.counts().attempt())
        .containsExactly(TaskState.FAILED, error, 1);
    assertThat(berth.find(good)).get().extracting(TaskView::state).isEqualTo(TaskState.FINISHED);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "http://localhost/app | No store accepts the URL \"http://localhost/app\":"
            + " use postgres://user:password@host/database or"
            + " jdbc:postgresql://host:5432/database?user=…",
        "jdbc:mysql://u:secret@h/app?password=secret | No store accepts the URL"
            + " \"jdbc:mysql://…@h/app?password=…\": use"
            + " postgres://user:password@host/database or"
            + " jdbc:postgresql://host:5432/database?user=…"
      })
  void aUrlThatNobodyAcceptsIsAnsweredWithOneThatWouldDo(String url, String error) {
    assertThatExceptionOfType(StoreException.class)
        .isThrownBy(() -> Berth.open(url))
        .withMessage(error)
        .satisfies(e -> assertThat(e.kind()).isEqualTo(Kind.INVALID));
  }

  @Test
  void aHostThatDoesNotExistIsNamed() {
    assertThatExceptionOfType(StoreException.class)
        .isThrownBy(() -> Berth.open("jdbc:postgresql://nowhere.invalid/app?password=secret"))
        .withMessage(
            "Could not connect to jdbc:postgresql://nowhere.invalid/app:"
                + " there is no host nowhere.invalid");
  }

  @Test
  void aDatabaseThatDoesNotExistIsNamed() {
    String url = database.url().replaceAll("/test_\\d+", "/nowhere");
    assertThatExceptionOfType(StoreException.class)
        .isThrownBy(() -> Berth.open(url))
        .withMessage(
            "Could not connect to "
                + url.replaceAll("\\?.*", "")
                + ": FATAL: database \"nowhere\" does not exist");
  }

  @Test
  void aPoolThatIsTooSmallIsToldHowManyConnectionsAreNeeded() {
    try (HikariDataSource small = Servers.pool(database.url(), 4);
        PostgresStore store = PostgresStore.of(small);
        Berth tight = Berth.on(store)) {
      assertThatExceptionOfType(StoreException.class)
          .isThrownBy(() -> tight.worker().handle(Nap.TYPE, (nap, task) -> nap.take()).start())
          .withMessage(
              "The connection pool gave only 4 of the 6 connections that a worker needs at the same"
                  + " time: enlarge the pool (maximumPoolSize in HikariCP)")
          .satisfies(e -> assertThat(e.kind()).isEqualTo(Kind.INVALID));
      tight.submit(Nap.TYPE, new Nap(0)); // to submit, one connection is enough
    }
  }
}
