package dev.berth.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.berth.Berth;
import dev.berth.schedule.Missed;
import dev.berth.schedule.Overlap;
import dev.berth.store.Schedule;
import dev.berth.view.ScheduleView;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

/**
 * A schedule under four worker processes, of which one after another is killed. With {@code
 * -Dberth.long-proofs} it is due every second for a minute.
 */
@Isolated("it kills workers while the others must keep time")
class ScheduleProcessesTest {

  private static final int OCCURRENCES = 60;
  private static final Duration PATIENCE = Duration.ofSeconds(90);
  private static final Duration PERIOD =
      System.getProperty("berth.long-proofs") == null
          ? Duration.ofMillis(100)
          : Duration.ofSeconds(1);

  private final TestDatabase database = TestDatabase.on(Servers.NEWEST);
  private final Berth berth = Berth.on(PostgresStore.of(database.pool()));
  private final List<WorkerProcess> workers = new ArrayList<>();

  @AfterEach
  void close() {
    workers.forEach(WorkerProcess::close);
    berth.close();
    database.close();
  }

  @Test
  void eachOfSixtyOccurrencesIsSubmittedOnceWhileWorkersAreKilled() {
    for (int i = 0; i < 4; i++) {
      start();
    }
    workers.forEach(WorkerProcess::awaitUp);
    berth
        .schedule("tick")
        .every(PERIOD)
        .missed(Missed.ALL)
        .overlap(Overlap.QUEUE)
        .submits(Nap.TYPE, new Nap(1));
    for (int killed = 1; killed <= 5; killed++) {
      int until = killed * OCCURRENCES / 6;
      await().atMost(PATIENCE).until(() -> submitted() >= until);
      workers.removeFirst().kill();
      start();
    }
    await().atMost(PATIENCE).until(() -> submitted() >= OCCURRENCES);
    berth.schedules().pause("tick");

    ScheduleView tick = berth.schedules().find("tick").orElseThrow();
    List<String> expected =
        LongStream.rangeClosed(1, tick.past().submitted())
            .mapToObj(i -> tick.when().anchor().plus(PERIOD.multipliedBy(i)))
            .map(Instant::toString)
            .toList();
    assertThat(
            database.query(
                "select metadata ->> 'berth.occurrence' from berth.tasks"
                    + " order by (metadata ->> 'berth.occurrence')::timestamptz"))
        .isEqualTo(expected);
    assertThat(expected).hasSizeGreaterThanOrEqualTo(OCCURRENCES);
    assertThat(tick.past().skipped()).isZero();
    assertThat(tick.past().lastTask()).isEqualTo(Schedule.taskOf("tick", tick.past().lastAt()));
    System.out.println( // for people: how late depends on the machine
        "late, in milliseconds (median, 90 %, worst): "
            + database.one(
                "select percentile_disc(array[0.5, 0.9, 1]) within group (order by extract(epoch"
                    + " from submitted_at - (metadata ->> 'berth.occurrence')::timestamptz) * 1000)"
                    + " from berth.tasks"));
  }

  private long submitted() {
    return database.count("select submitted from berth.schedules");
  }

  private void start() {
    workers.add(
        WorkerProcess.start(
            database.url(),
            Map.of("BERTH_LEASE_MS", "2000", "BERTH_HEARTBEAT_INTERVAL_MS", "400")));
  }
}
