package dev.berth.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.awaitility.Awaitility.await;

import dev.berth.Berth;
import dev.berth.schedule.Missed;
import dev.berth.schedule.Overlap;
import dev.berth.store.Applied;
import dev.berth.task.TaskType;
import dev.berth.view.ScheduleView;
import dev.berth.worker.Worker;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Schedules from code and SQL, with real workers. */
class ScheduleTest {

  private static final TaskType<Nap, Void> OTHER = TaskType.of("other", Nap.class);

  private final TestDatabase database = TestDatabase.on(Servers.NEWEST);
  private final Berth berth = Berth.on(PostgresStore.of(database.pool()));

  @AfterEach
  void close() {
    berth.close();
    database.close();
  }

  /** A worker that looked about once a second only would come to a tenth of this. */
  @Test
  void workersWakeAtTheTimeOfEachOccurrence() {
    List<Instant> ran = new CopyOnWriteArrayList<>();
    try (Worker first = tickers(ran);
        Worker second = tickers(ran)) {
      berth
          .schedule("tick")
          .every(Duration.ofMillis(100))
          .overlap(Overlap.QUEUE)
          .submits(Nap.TYPE, new Nap(0));
      await().until(() -> ran.size() >= 20);

      ScheduleView tick = berth.schedules().find("tick").orElseThrow();
      long passed = Duration.between(tick.when().anchor(), tick.past().lastAt()).toMillis() / 100;
      assertThat(tick.past().submitted()).isGreaterThan(passed / 2);
      assertThat(ran).doesNotHaveDuplicates();
    }
  }

  @Test
  void aWorkerSubmitsTasksOfTypesThatItDoesNotKnow() {
    try (Worker worker = berth.worker().handle(OTHER, (nap, task) -> {}).start()) {
      database.run(
          "select berth.set_schedule('sql', 'nap', '{\"millis\": 1}', every => '0.1 s',"
              + " queue => 'elsewhere')");
      await()
          .until(() ->
              database.count("select count(*) from berth_private.task where type = 'nap'") == 1);
      assertThat(worker.stats().claimed()).isZero();
    }
  }

  @Test
  void aScheduleThatCannotSubmitSaysSoAndGoesOn() {
    database.run(
        "select berth.set_schedule('large', 'nap', ('\"' || repeat('x', 500000) || '\"')::jsonb,"
            + " every => '0.1 s', queue => 'elsewhere')",
        "update berth_private.size_cap set bytes = 200000",
        "select berth.set_schedule('tick', 'nap', every => '0.1 s', queue => 'elsewhere',"
            + " overlap => 'queue')");
    try (Worker worker = berth.worker().handle(OTHER, (nap, task) -> {}).start()) {
      await().until(() -> error("large") != null);
      assertThat(error("large")).contains("The payload of a task of type nap has 500002 bytes");
      Instant next = berth.schedules().find("large").orElseThrow().nextAt();
      await().until(() -> berth.schedules().find("large").orElseThrow().nextAt().isAfter(next));
      await().until(() -> berth.schedules().find("tick").orElseThrow().past().submitted() > 1);
      assertThat(worker.stats().claimed()).isZero();
    }
  }

  private String error(String schedule) {
    return berth.schedules().find(schedule).orElseThrow().error();
  }

  @Test
  void cronFromCodeIsShownWithItsNextTimes() {
    berth
        .schedule("nightly")
        .cron("0 3 * * *", ZoneId.of("Europe/Berlin"))
        .missed(Missed.NONE)
        .submits(Nap.TYPE, new Nap(0), options -> options.priority(7));
    worker(() -> {
      ScheduleView nightly = berth.schedules().find("nightly").orElseThrow();
      assertThat(nightly.upcoming(3))
          .hasSize(3)
          .allSatisfy(time ->
              assertThat(time.atZone(ZoneId.of("Europe/Berlin")).toLocalTime())
                  .isEqualTo(LocalTime.of(3, 0)));
    });
    assertThat(
            database.one(
                "select concat_ws(' ', cron, zone, missed, overlap, type, priority, paused, error)"
                    + " from berth.schedules"))
        .isEqualTo("0 3 * * * Europe/Berlin none skip nap 7 f");
  }

  @Test
  void whatIsWrongInCodeIsSaidBeforeAnythingIsStored() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> berth.schedule("nightly").cron("0 25 * * *", ZoneOffset.UTC))
        .withMessageStartingWith("Schedule nightly: \"0 25 * * *\" is not a cron expression");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> berth.schedule("nightly").cron("0 0 30 2 *", ZoneOffset.UTC))
        .withMessageStartingWith("Schedule nightly: it would never run");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> berth.schedule("nightly").cron("0 3 * * *", "Mars/Base"))
        .withMessageStartingWith("Schedule nightly: the time zone \"Mars/Base\" does not exist");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> berth.schedule("nightly").every(Duration.ZERO))
        .withMessageStartingWith("Schedule nightly: it cannot run every PT0S");
    assertThatIllegalArgumentException()
        .isThrownBy(() ->
            berth
                .schedule("nightly")
                .every(Duration.ofHours(1))
                .submits(Nap.TYPE, new Nap(0), options -> options.id("x")))
        .withMessageStartingWith("Schedule nightly: its tasks have neither an id nor a due time");
    assertThat(berth.schedules().list()).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "'', 'nap', cron => '0 3 * * *'                | A schedule needs a name, but it was blank",
        "'s', 'nap'                                    | Schedule s: say when: either cron, such as"
            + " '0 3 * * *', or every, such as '10 minutes'",
        "'s', 'nap', cron => '0 3 * * *', every => '1 h' | Schedule s: say when",
        "'s', 'nap', every => '0'                      | Schedule s: it cannot run every 00:00:00:"
            + " use a time from 100 ms to 36500 days",
        "'s', 'nap', every => '-1 s'                   | Schedule s: it cannot run every -00:00:01",
        "'s', 'nap', every => '1 month'                | Schedule s: it cannot run every 1 mon:"
            + " months differ; say days, or use cron",
        "'s', 'nap', cron => '0 3 * *'                 | Schedule s: \"0 3 * *\" is not a cron"
            + " expression: use five fields",
        "'s', 'nap', cron => '0 3 * * ?'               | Schedule s: \"0 3 * * ?\" is not a cron"
            + " expression",
        "'s', 'nap', cron => '0 3 * * *', zone => 'Mars/Base' | Schedule s: the time zone"
            + " \"Mars/Base\" does not exist: use the name of one, such as Europe/Berlin or UTC",
        "'s', 'nap', every => '1 h', missed => 'some'  | Schedule s: missed cannot be \"some\": use"
            + " once, all or none",
        "'s', 'nap', every => '1 h', overlap => 'no'   | Schedule s: overlap cannot be \"no\": use"
            + " skip, queue or cancel_older",
        "'s', 'nap', every => '1 h', priority => 10    | Priority 10 is out of range",
        "'s', ' ', every => '1 h'                      | A task type needs a name",
        "'s', 'nap', every => '1 h', limits => '5'     | Limits are a list of keys"
      })
  void whatIsWrongInSqlIsRefused(String arguments, String error) {
    assertThatExceptionOfType(AssertionError.class)
        .isThrownBy(() -> database.run("select berth.set_schedule(" + arguments + ")"))
        .withMessageContaining("ERROR: " + error.strip());
    assertThat(database.query("select name from berth.schedules")).isEmpty();
  }

  /** What SQL cannot check, a worker does, at once; and a better definition is taken up again. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "0 25 * * *| UTC      | \"0 25 * * *\" is not a cron expression (value 25 not in range"
            + " [0, 23]): use five fields, minute, hour, day, month and weekday, such as"
            + " \"0 3 * * *\"",
        "0 0 30 2 *| UTC      | it would never run: no date fits the cron expression \"0 0 30 2"
            + " *\". Change its day or its month",
        "0 3 * * * | FOO3BAR  | the time zone \"FOO3BAR\" does not exist: use the name of one, such"
            + " as Europe/Berlin or UTC"
      })
  void whatOnlyAWorkerCanCheckIsSeenInTheList(String cron, String zone, String error) {
    String set = "select berth.set_schedule('s', 'nap', cron => '%s', zone => '%s')";
    worker(() -> {
      database.run(set.formatted(cron, zone));
      await()
          .until(() -> database.query("select error from berth.schedules"), List.of(error)::equals);
      assertThat(database.one("select next_at from berth.schedules")).isNull();
      database.run(set.formatted("0 3 * * *", "UTC"));
      await().until(() -> database.one("select next_at from berth.schedules") != null);
      assertThat(database.one("select error from berth.schedules")).isNull();
    });
  }

  @Test
  void sqlPausesResumesRunsAndRemoves() {
    database.run("select berth.set_schedule('s', 'nap', every => '1 day')");
    assertThat(database.one("select berth.set_schedule('s', 'nap', every => '24 hours')"))
        .isEqualTo("unchanged");
    for (String call :
        List.of(
            "pause_schedule('s') done",
            "pause_schedule('s') unchanged",
            "pause_schedule('x') unknown",
            "resume_schedule('s') done",
            "resume_schedule('s') unchanged",
            "resume_schedule('x') unknown",
            "run_schedule('s') done",
            "run_schedule('s') unchanged",
            "run_schedule('x') unknown",
            "remove_schedule('s') done",
            "remove_schedule('s') unknown")) {
      String[] parts = call.split(" ");
      assertThat(database.one("select berth." + parts[0])).as(call).isEqualTo(parts[1]);
    }
    assertThat(database.count("select count(*) from berth_private.task")).isEqualTo(1);
  }

  /** The tasks of a schedule from SQL are those of one from Java, and under the same limits. */
  @Test
  void sqlAndJavaMakeTheSameSchedule() {
    TaskType<Nap, Void> limited =
        TaskType.of("li/mited", Nap.class).limit(3).limitPer("millis", Nap::millis, 2);
    berth.worker().handle(limited, (nap, task) -> {}).start().close();
    berth.schedule("a/b").every(Duration.ofHours(1)).submits(limited, new Nap(5));
    assertThat(berth.schedules().run("a/b")).isPresent();
    String task =
        "select concat_ws(' | ', lane, limits, weights, quotas, quota_mosts) from"
            + " berth_private.task";
    String fromJava = database.one(task);
    database.run(
        "delete from berth_private.schedule",
        "delete from berth_private.task",
        "delete from berth_private.quota_task",
        "delete from berth_private.quota_count");

    assertThatExceptionOfType(AssertionError.class)
        .isThrownBy(
            () -> database.run("select berth.set_schedule('a/b', 'li/mited', every => '1 h')"))
        .withMessageContaining("A task of type li/mited needs a millis");
    database.run(
        "select berth.set_schedule('a/b', 'li/mited', '{\"millis\": 5}', every => '1 h',"
            + " limits => '[\"type/li%2Fmited/millis/5\"]')",
        "select berth.run_schedule('a/b')");
    assertThat(database.one(task)).isEqualTo(fromJava).contains("schedule/a%2Fb");
  }

  @Test
  void aRunByHandSaysItsTask() {
    berth.schedule("s").every(Duration.ofHours(1)).submits(Nap.TYPE, new Nap(0));

    assertThat(berth.find(berth.schedules().run("s").orElseThrow())).isPresent();
    assertThat(berth.schedules().run("s")).isEmpty();
    assertThat(berth.schedules().run("nobody")).isEmpty();
    assertThat(berth.schedules().pause("s")).isEqualTo(Applied.DONE);
    assertThat(berth.schedules().resume("s")).isEqualTo(Applied.DONE);
    assertThat(berth.schedules().remove("s")).isEqualTo(Applied.DONE);
  }

  /** Somebody's forgotten transaction holds up its own schedule, and nothing else. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "select berth.pause_schedule('held')",
        "select berth.submit('nap', quotas => '{\"type/nap\": 5}')"
      })
  void anOpenTransactionHoldsUpOneScheduleAndNoWorker(String statement) throws Exception {
    TaskType<Nap, Void> counted = Nap.TYPE.quota(5);
    berth.schedule("held").every(Duration.ofHours(1)).submits(counted, new Nap(0));
    berth.schedule("free").every(Duration.ofHours(1)).submits(OTHER, new Nap(0));
    worker(() -> {});
    try (Connection open = DriverManager.getConnection(database.url());
        Statement own = open.createStatement()) {
      open.setAutoCommit(false);
      own.execute(statement);
      database.run("update berth_private.clock set shift = '1 hour'");
      long began = System.nanoTime();
      try (Worker worker = berth.worker().handle(OTHER, (nap, task) -> {}).start()) {
        await().until(() -> worker.stats().finished() == 1);
        assertThat(Duration.ofNanos(System.nanoTime() - began)).isLessThan(Duration.ofSeconds(9));
        assertThat(submittedBy("held")).isZero();
        open.rollback();
        await().until(() -> submittedBy("held") == 1);
      }
    }
  }

  private long submittedBy(String schedule) {
    return berth.schedules().find(schedule).orElseThrow().past().submitted();
  }

  /** However many there are: the sweep reads an index, and only as far as it must. */
  @Test
  void aSweepDoesNotReadSchedulesThatAreNotDue() {
    database.run(
        "select berth.set_schedule('s' || i, 'nap', every => '1 day') from generate_series(1, 3000)"
            + " i",
        "update berth_private.schedule set next_at = berth_private.now() + interval '1 day'",
        "select berth.set_schedule('due', 'nap', every => '1 day')");
    database.run("begin");
    long before = rowsRead();
    database.run("select berth_private.next_schedule()", "select * from berth.due_schedules()");
    long read = rowsRead() - before;
    database.run("rollback");

    assertThat(read).isBetween(2L, 10L);
  }

  private long rowsRead() {
    return database.count(
        "select seq_tup_read + idx_tup_fetch from pg_stat_xact_user_tables"
            + " where schemaname = 'berth_private' and relname = 'schedule'");
  }

  private Worker tickers(List<Instant> ran) {
    return berth
        .worker()
        .pollInterval(Duration.ofHours(1))
        .handle(
            Nap.TYPE,
            (nap, task) -> ran.add(Instant.parse(task.metadata().get("berth.occurrence"))))
        .start();
  }

  private void worker(Runnable meanwhile) {
    try (Worker worker = berth.worker().handle(OTHER, (nap, task) -> {}).start()) {
      await().until(() -> berth.schedules().list().stream().allMatch(s -> s.nextAt() != null));
      meanwhile.run();
    }
  }
}
