package dev.berth.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import dev.berth.Berth;
import dev.berth.limit.Limit;
import dev.berth.task.TaskType;
import dev.berth.worker.Worker;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Limits of tasks that are submitted from SQL: there is no way around them. */
class SqlLimitTest {

  private static final String TASK =
      "select concat_ws(' | ', lane, limits, weights, said_slots) from berth_private.task";

  private record Import(String customer, int millis) {}

  /** A name with everything that is written otherwise in a key or a lane. */
  private static final TaskType<Import, Void> IMPORT =
      TaskType.of("im/port 50% *", Import.class)
          .limit(7)
          .limitPer("custom/er", Import::customer, 2)
          .under(Limit.of("gpu", 4), 2);

  private final TestDatabase database = TestDatabase.on(Servers.NEWEST);
  private final Berth berth = Berth.on(PostgresStore.of(database.pool()));

  @AfterEach
  void close() {
    berth.close();
    database.close();
  }

  @Test
  void aTaskFromSqlIsInTheLaneOfATaskFromJava() {
    register(IMPORT);
    berth.submit(IMPORT, new Import("a/b *", 0));
    String fromJava = database.one(TASK);
    database.run(
        "delete from berth_private.task",
        "select berth.submit('im/port 50% *', '{}',"
            + " limits => '[\"type/im%2Fport 50%25 */custom%2Fer/a%2Fb *\"]')");

    assertThat(database.one(TASK)).isEqualTo(fromJava).startsWith("limit/gpu*2 type/im%2Fport%20");
  }

  @Test
  void weightsAndNumbersCanBeSaid() {
    database.run(
        "select berth.submit('nap', limits => '{\"limit/gpu\": {\"slots\": 4, \"weight\": 2},"
            + " \"type/nap/user/7\": 1, \"type/nap\": 9, \"limit/api\": 3}')");

    assertThat(database.one(TASK))
        .isEqualTo(
            "limit/api limit/gpu*2 type/nap type/nap/user/7"
                + " | {limit/api,limit/gpu,type/nap,type/nap/user/7} | {1,2,1,1} | {3,4,9,1}");
  }

  @Test
  void aTaskOfATypeThatIsLimitedForEachValueIsRefusedWithoutIt() {
    register(IMPORT);

    assertRefused(
        "'im/port 50% *'",
        "A task of type im/port 50% * needs a custom/er for its limit"
            + " type/im%2Fport 50%25 */custom%2Fer: name it, as in limits =>"
            + " '[\"type/im%2Fport 50%25 */custom%2Fer/…\"]'");
    assertRefused(
        "'im/port 50% *', limits => '[\"limit/gpu\"]'",
        "A task of type im/port 50% * needs a custom/er");
  }

  @Test
  void aTaskOfATypeThatHasNoSuchLimitAnyMoreIsNotRefused() {
    register(IMPORT);
    register(TaskType.of("im/port 50% *", Import.class));
    database.run("select berth.submit('im/port 50% *')");

    assertThat(database.one("select lane is null from berth_private.task")).isEqualTo("t");
  }

  @Test
  void aTaskFromSqlObeysTheLimitOfItsTypeAndWakesWorkers() throws Exception {
    TaskType<Nap, Void> one = Nap.TYPE.limit(1);
    CompletableFuture<Void> open = new CompletableFuture<>();
    try (Worker worker =
        berth
            .worker()
            .pollInterval(Duration.ofHours(1))
            .handle(one, (nap, task) -> open.get(30, TimeUnit.SECONDS))
            .start()) {
      await().until(() -> worker.stats().exchanges() > 0);
      database.run(
          "select berth.submit('nap', '{\"millis\": 0}')",
          "select berth.submit('nap', '{\"millis\": 0}')");
      await().until(() -> worker.stats().claimed() == 1);
      assertThat(berth.reader().limits())
          .singleElement()
          .satisfies(limit -> {
            assertThat(limit.key().value()).isEqualTo("type/nap");
            assertThat(limit.used()).isEqualTo(1);
            assertThat(limit.waiting()).isEqualTo(1);
          });
      open.complete(null);
      await().until(() -> worker.stats().finished() == 2);
    }
  }

  @Test
  void aTaskFromJavaThatDoesNotKnowTheLimitWakesAWorker() throws Exception {
    try (Worker worker =
        berth
            .worker()
            .pollInterval(Duration.ofHours(1))
            .handle(Nap.TYPE.limit(1), (nap, task) -> nap.take())
            .start()) {
      await().until(() -> worker.stats().exchanges() > 0);
      for (int i = 1; i <= 3; i++) {
        berth.await(Nap.TYPE, berth.submit(Nap.TYPE, new Nap(0)), Duration.ofSeconds(10));
      }
    }
  }

  /** A submit locks nothing that anybody else needs, also if its limits are looked up. */
  @Test
  void aSubmitThatIsNotCommittedHoldsUpNoChangeOfTheLimit() throws Exception {
    register(Nap.TYPE.limit(1));
    try (Connection submitter = DriverManager.getConnection(database.url());
        Statement statement = submitter.createStatement()) {
      submitter.setAutoCommit(false);
      statement.execute("select berth.submit('nap')");

      database.run("set lock_timeout = '5s'", "select berth.set_limit('type/nap', 5)");
      register(Nap.TYPE.limit(2));
      submitter.commit();
    }
    assertThat(database.one("select lane from berth_private.task")).isEqualTo("type/nap");
  }

  /** An exchange that began before the limit came into force claims as if there were none. */
  @Test
  void whatStartedUnderTheOldNumberIsCountedByTheNextSweep() throws Exception {
    register(Nap.TYPE.limit(1));
    berth.submit(Nap.TYPE, new Nap(0));
    berth.submit(Nap.TYPE, new Nap(0));
    register(Nap.TYPE);
    long session =
        database.count(
            "select session_id from berth.open_session(1, 'late', null, '1 hour', 9, '{nap}',"
                + " '{default}')");
    try (Connection claimer = DriverManager.getConnection(database.url());
        Statement statement = claimer.createStatement()) {
      claimer.setAutoCommit(false);
      statement.execute(
          "select * from berth.exchange("
              + Sql.caller(session)
              + ", 1, '{}', '{}', '{}', '{}', '{}', '{default,default}', '{null,null}',"
              + " '{null,null}', '{lanes,scan}', '{null,null}', '{nap}', 9)");
      register(Nap.TYPE.limit(1));
      claimer.commit();
    }
    assertThat(database.count("select sum(used) from berth_private.slot_group")).isZero();

    database.run("select berth.sweep()");

    assertThat(database.count("select sum(used) from berth_private.slot_group")).isEqualTo(2);
    assertThat(database.query("select key from berth.slot_drift")).isEmpty();
    assertThat(database.one("select excess from berth_private.task_limit")).isEqualTo("1");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "5                                     | Limits are a list of keys, such as"
            + " [\"limit/gpu\"]",
        "[5]                                   | Limits are a list of keys, such as"
            + " [\"limit/gpu\"]",
        "[\"gpu\"]                             | \"gpu\" is not the key of a limit: expected",
        "[\"type/nap/user\"]                   | \"type/nap/user\" is not the key of a limit:",
        "[\"limit/gpu\"]                       | Nobody has said how many slots the limit limit/gpu"
            + " has: say it, as in {\"limit/gpu\": 4}",
        "{\"limit/gpu\": -1}                   | The limit limit/gpu cannot have -1 slots: use 0"
            + " (blocks) to 1000000",
        "{\"limit/gpu\": 1.5}                  | The limit limit/gpu cannot have 1.5 slots",
        "{\"limit/gpu\": \"4\"}                | The limit limit/gpu is said with a number of"
            + " slots",
        "{\"limit/gpu\": {\"slot\": 4}}        | The limit limit/gpu is said with a number of"
            + " slots",
        "{\"limit/gpu\": {\"slots\": 4, \"weight\": 0}} | A task cannot take 0 slots of the limit"
            + " limit/gpu: use 1 to 1000000",
        "{\"type/walk\": 4}                    | A task of type nap cannot be under the limit"
            + " type/walk, which is one of another type",
        "{\"type/nap2/user/7\": 4}             | A task of type nap cannot be under the limit"
            + " type/nap2/user/7, which is one of another type"
      })
  void limitsThatAreWrongAreRefused(String limits, String error) {
    assertRefused("'nap', limits => '" + limits + "'", error);
  }

  private void assertRefused(String arguments, String error) {
    assertThatExceptionOfType(AssertionError.class)
        .isThrownBy(() -> database.run("select berth.submit(" + arguments + ")"))
        .withMessageContaining("ERROR: " + error.strip());
    assertThat(database.query("select id from berth.tasks")).isEmpty();
  }

  private void register(TaskType<?, Void> type) {
    berth.worker().handle(type, (payload, task) -> {}).start().close();
  }
}
