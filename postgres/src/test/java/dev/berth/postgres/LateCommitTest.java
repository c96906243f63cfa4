package dev.berth.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.berth.Berth;
import dev.berth.store.Claim;
import dev.berth.task.Outcome;
import dev.berth.task.TaskId;
import dev.berth.task.TaskType;
import dev.berth.testkit.Claimer;
import dev.berth.testkit.Draft;
import dev.berth.worker.Worker;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tasks that appear behind the place where claims go on: a transaction that was open while
 * thousands of others passed, a retry, a return, a promotion. Each starts within a second, although
 * there is always more work ahead, and although nobody is told of it.
 */
@Isolated("it measures how long a task waits")
class LateCommitTest {

  private static final TaskType<Nap, Void> LATE = TaskType.of("late", Nap.class);
  private static final PostgresOptions DEAF = PostgresOptions.DEFAULT.withoutWakeUps();

  private static final Duration SOON = Duration.ofSeconds(1);
  private static final int LATE_ONES = 5;

  private static final int BACKLOG = 5_000;

  private final PostgresFixture fixture = PostgresFixture.on(Servers.NEWEST, DEAF);
  private final TestDatabase database = fixture.database();

  @AfterEach
  void close() {
    fixture.close();
  }

  /** Several, one after another, so that one at least commits just after claims have looked. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aLateCommitStartsWithinASecond(boolean wakeUps) throws Exception {
    PostgresOptions options = new PostgresOptions(true, wakeUps);
    BlockingQueue<Long> started = new LinkedBlockingQueue<>();
    List<Connection> late = new ArrayList<>();
    try (PostgresStore store = PostgresStore.of(database.pool(), options);
        PostgresStore elsewhere = PostgresStore.of(database.pool(), options);
        Berth berth = Berth.on(store);
        Berth other = Berth.on(elsewhere)) {
      for (int i = 0; i < LATE_ONES; i++) {
        late.add(database.pool().getConnection());
        late.getLast().setAutoCommit(false);
        // the place of the task is that of its submit, long before those that pass
        other.through(elsewhere.joining(late.getLast())).submit(LATE, new Nap(0));
      }
      try (Worker worker =
          berth
              .worker()
              .maxConcurrentTasks(10)
              .claimBatchSize(10)
              .wakeUps(wakeUps)
              .handle(Nap.TYPE, (nap, task) -> nap.take())
              .handle(LATE, (nap, task) -> started.add(System.nanoTime()))
              .start()) {
        other.submitAll(Nap.TYPE, IntStream.range(0, 2 * BACKLOG).mapToObj(number -> new Nap(5)));
        await().until(() -> worker.stats().finished() > 1_000);

        for (Connection connection : late) {
          connection.commit();
          long committed = System.nanoTime();
          Long start = started.poll(10, TimeUnit.SECONDS);
          assertThat(start).as("the tick of its start").isNotNull();
          assertThat(Duration.ofNanos(start - committed)).isLessThan(SOON);
        }
        assertThat(worker.stats().finished()).as("there was other work").isLessThan(2 * BACKLOG);
        database.run("delete from berth_private.task where state = 'ready'");
      }
    } finally {
      for (Connection connection : late) {
        connection.close();
      }
    }
  }

  @Test
  void aTaskRetriedByItsWorkerIsFound() throws SQLException {
    comesBack((claimer, claim) -> handIn(claimer, claim, "retry"));
  }

  @Test
  void aTaskReleasedByItsWorkerIsFound() throws SQLException {
    comesBack((claimer, claim) -> handIn(claimer, claim, "released"));
  }

  @Test
  void aTaskOfASessionThatLeftIsFound() throws SQLException {
    comesBack((claimer, claim) -> "select berth.leave(" + Sql.proven(claimer.id()) + ")");
  }

  @Test
  void aTaskOfADeadSessionIsFound() throws SQLException {
    comesBack((claimer, claim) -> {
      database.run(
          "update berth_private.session set expires_at = berth_private.now() where id = "
              + claimer.id());
      return "select * from berth_private.expire_sessions()";
    });
  }

  @Test
  void aPromotedTaskIsFound() throws SQLException {
    comesBack((claimer, claim) -> {
      claimer.end(claim, new Outcome.Retrying("busy", Duration.ofSeconds(5)));
      fixture.advance(Duration.ofSeconds(6));
      return "select * from berth_private.promote()";
    });
  }

  @Test
  void aTaskRetriedByHandIsFound() throws SQLException {
    comesBack((claimer, claim) -> {
      claimer.end(claim, new Outcome.Failed("broken"));
      return "select berth.retry('" + claim.lease().task() + "')";
    });
  }

  private interface Return {
    /** The statement by which the task goes back to its queue. */
    String of(Claimer claimer, Claim claim);
  }

  private static String handIn(Claimer claimer, Claim claim, String outcome) {
    return """
    select * from berth.exchange(%s, %d, array['%s']::uuid[], array[%d]::bigint[], array['%s'], array['busy'],
        array[0]::bigint[], '{}', '{}', '{}', '{}', '{}', '{}', 0)
    """
        .formatted(
            Sql.caller(claimer.id()),
            claimer.last().number() + 1,
            claim.lease().task(),
            claim.lease().token(),
            outcome);
  }

  /**
   * A task goes back to its queue in a transaction that stays open while others pass, then commits:
   * a claimer that is busy with the others finds it.
   */
  private void comesBack(Return way) throws SQLException {
    PostgresStore elsewhere = fixture.store();
    try (PostgresStore store = PostgresStore.of(database.pool(), DEAF);
        Connection connection = database.pool().getConnection()) {
      Claimer other = Claimer.open(elsewhere, "other", Draft.TYPE);
      Draft late = Draft.task();
      elsewhere.submit(List.of(late.submission()));
      Claim claim = other.claimOne();
      connection.setAutoCommit(false);
      try (Statement statement = connection.createStatement()) {
        statement.execute(way.of(other, claim));
      }
      fixture.advance(Duration.ofSeconds(10));
      elsewhere.submit(Stream.generate(() -> Draft.task().submission()).limit(BACKLOG).toList());
      Claimer claimer = Claimer.open(store, "claimer", Draft.TYPE);
      for (int i = 0; i < 50; i++) {
        assertThat(claimer.claim(2)).hasSize(2);
      }
      connection.commit();
      await()
          .atMost(SOON)
          .pollInterval(Duration.ofMillis(5))
          .until(() -> claimsOther(claimer).contains(late.id()));
    }
  }

  private static List<TaskId> claimsOther(Claimer claimer) {
    List<TaskId> claims = claimer.claimIds(2);
    assertThat(claims).as("there is more work").hasSize(2);
    return claims;
  }
}
