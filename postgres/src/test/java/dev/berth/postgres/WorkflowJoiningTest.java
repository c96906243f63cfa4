package dev.berth.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import dev.berth.Berth;
import dev.berth.store.Claim;
import dev.berth.task.Outcome;
import dev.berth.task.Step;
import dev.berth.task.TaskState;
import dev.berth.testkit.Claimer;
import dev.berth.testkit.Draft;
import dev.berth.view.WorkflowView.State;
import dev.berth.worker.Worker;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Steps that are submitted in the caller's transaction, or from SQL: nobody waits for it, and once
 * it has committed nothing is held for ever.
 */
@Timeout(300)
class WorkflowJoiningTest {

  private static final int RACES = Integer.getInteger("berth.append-races", 200);

  /** So few that a session outlives them. */
  private static final int ROUND = 200;

  private final TestDatabase database = TestDatabase.on(Servers.NEWEST);
  private final PostgresStore store = PostgresStore.of(database.pool());
  private final Berth berth = Berth.on(store);
  private Connection connection;

  @BeforeEach
  void begin() throws SQLException {
    connection = database.pool().getConnection();
    connection.setAutoCommit(false);
  }

  @AfterEach
  void close() throws SQLException {
    connection.close();
    berth.close();
    database.close();
  }

  @Test
  void aStepIsThereIfAndOnlyIfTheTransactionCommits() throws SQLException {
    append("order-1");
    connection.rollback();
    append("order-2");
    connection.commit();
    sweepNotices();

    assertThat(berth.reader().workflow("order-1")).isEmpty();
    assertThat(claimer().claimIds(10)).containsExactly(Step.taskId("order-2", "appended"));
  }

  /** Submitted again, by somebody who could not see that it has ended. */
  @Test
  void aStepThatIsThereTwiceIsCancelledWithTheRest() {
    database.run(
        "select berth.submit_step('w', 'x', 't', on_failure => 'cancel_rest')",
        "select berth.submit_step('w', 'a', 't')",
        "insert into berth_private.workflow_step (workflow, step, number, task_id, type, outcome,"
            + " on_failure, ended_at) values ('w', 'a', 0, gen_random_uuid(), 't', 'finished',"
            + " 'halt', now())");
    sweepNotices();
    Claimer claimer = Claimer.open(store, "worker", "t");
    claimer.end(claimer.claimOne(), new Outcome.Failed("no"));

    assertThat(database.query("select step || ' ' || outcome from berth_private.workflow_step"))
        .containsExactlyInAnyOrder("x failed", "a cancelled");
    assertThat(database.query("select id from berth_private.task")).isEmpty();
  }

  @Test
  void anOpenTransactionStallsNobody() throws SQLException {
    submit("order-42", "first");
    Claimer claimer = claimer();
    Claim first = claimer.claimOne();
    append("order-42");

    // If any of these waited for the open transaction, it would wait until the test is over.
    submit("order-42", "second");
    claimer.end(first, new Outcome.Finished(null));
    Claim second = claimer.claimOne();
    assertThat(second.lease().task()).isEqualTo(Step.taskId("order-42", "second"));
    store.sweep();
    claimer.end(second, new Outcome.Finished(null));
    assertThat(berth.reader().workflow("order-42").orElseThrow().state()).isEqualTo(State.FINISHED);

    connection.commit();
    assertThat(claimer.claim(1)).isEmpty();
    sweepNotices();
    assertThat(claimer.claimIds(10)).containsExactly(Step.taskId("order-42", "appended"));
  }

  @Test
  void aStepThatIsCommittedLateRunsBeforeWhatIsLeft() throws SQLException {
    append("order-42");
    submit("order-42", "second");
    submit("order-42", "third");
    Claimer claimer = claimer();
    Claim second = claimer.claimOne();
    connection.commit();
    sweepNotices();
    assertThat(claimer.claim(10)).isEmpty();

    claimer.end(second, new Outcome.Finished(null));

    Claim appended = claimer.claimOne();
    assertThat(appended.lease().task()).isEqualTo(Step.taskId("order-42", "appended"));
    claimer.end(appended, new Outcome.Finished(null));
    assertThat(claimer.claimIds(10)).containsExactly(Step.taskId("order-42", "third"));
  }

  @Test
  void stepsThatAreCommittedLateInAnyOrderAllRun() throws SQLException {
    append("order-42");
    try (Connection other = database.pool().getConnection()) {
      other.setAutoCommit(false);
      store.joining(other).submit(List.of(Draft.task().step("order-42", "second").submission()));
      submit("order-42", "third");
      other.commit();
    }
    sweepNotices();
    connection.commit();
    sweepNotices();

    Claimer claimer = claimer();
    for (String step : List.of("third", "appended", "second")) {
      Claim claim = claimer.claimOne();
      assertThat(claim.lease().task()).isEqualTo(Step.taskId("order-42", step));
      claimer.end(claim, new Outcome.Finished(null));
    }
  }

  @Test
  void stepsAppendedWhileTheLastOneEndsAreNotHeldForEver() throws Exception {
    for (int done = 0; done < RACES; done += ROUND) {
      raceAppends("order-" + done + ".");
    }
  }

  private void raceAppends(String order) throws Exception {
    Claimer claimer = claimer();
    List<Claim> last = new ArrayList<>();
    for (int i = 0; i < ROUND; i++) {
      submit(order + i, "first");
      last.addAll(claimer.claim(1));
    }
    CyclicBarrier race = new CyclicBarrier(2);
    try (ExecutorService threads = Executors.newFixedThreadPool(2)) {
      Future<?> ending =
          threads.submit(() -> {
            for (Claim claim : last) {
              claimer.heartbeat(); // on a busy machine this takes longer than a lease
              race.await();
              claimer.end(claim, new Outcome.Finished(null));
            }
            return null;
          });
      Future<?> appending =
          threads.submit(() -> {
            for (int i = 0; i < ROUND; i++) {
              append(order + i);
              race.await();
              connection.commit();
            }
            return null;
          });
      ending.get();
      appending.get();
    }
    sweepNotices();

    List<Claim> started = new ArrayList<>();
    for (List<Claim> more = claimer.claim(100); !more.isEmpty(); ) {
      started.addAll(more);
      more = claimer.claim(100);
    }
    assertThat(started)
        .extracting(claim -> claim.lease().task())
        .containsExactlyInAnyOrderElementsOf(
            IntStream.range(0, ROUND).mapToObj(i -> Step.taskId(order + i, "appended")).toList());
    claimer.endAll(started, new Outcome.Finished(null));
    claimer.leave();
  }

  @Test
  void aCommitWakesAWorker() throws SQLException {
    try (Worker worker = worker()) {
      await().until(() -> worker.stats().exchanges() > 0);
      berth
          .through(store.joining(connection))
          .workflow("order-42")
          .then("first", Nap.TYPE, new Nap(0))
          .then("second", Nap.TYPE, new Nap(0))
          .submit();
      connection.commit();

      await().until(() -> worker.stats().finished() == 2);
    }
  }

  @Test
  void aStepSubmittedFromSqlRuns() {
    try (Worker worker = worker()) {
      await().until(() -> worker.stats().exchanges() > 0);
      String id =
          database.one("select berth.submit_step('order-42', 'first', 'nap', '{\"millis\": 0}')");
      database.run(
          "select berth.submit_step('order-42', 'first', 'nap', '{\"millis\": 0}')",
          "select berth.submit_step('order-42', 'second', 'nap', '{\"millis\": 0}', metadata =>"
              + " '{\"tenant\": \"a\"}', limits => '{\"limit/beds\": 2}', on_failure =>"
              + " 'continue')");
      assertThat(id).isEqualTo(Step.taskId("order-42", "first").toString());

      await().until(() -> worker.stats().finished() == 2);
    }
    assertThat(database.one("select state || ' ' || finished from berth.workflows"))
        .isEqualTo("FINISHED 2");
    assertThat(database.one("select berth.skip_step('order-42', 'first')")).isEqualTo("unchanged");
  }

  @Test
  void badInputFromSqlIsRefused() {
    for (String sql :
        List.of(
            "select berth.submit_step('', 'first', 'nap')",
            "select berth.submit_step('order-42', e'a\\nb', 'nap')",
            "select berth.submit_step('order-42', 'first', '')",
            "select berth.submit_step('order-42', 'first', 'nap', on_failure => 'stop')",
            "select berth.submit_step('order-42', 'first', 'nap', priority => 10)")) {
      assertThatExceptionOfType(AssertionError.class)
          .isThrownBy(() -> database.run(sql))
          .withStackTraceContaining("ERROR: ");
    }
    assertThat(database.query("select id from berth_private.task")).isEmpty();
  }

  /** Even by hand, the database does not let two steps of a workflow start. */
  @Test
  void twoStepsCannotHaveTheirTurnAtOnce() {
    submit("order-42", "first");
    submit("order-42", "second");
    claimer().claimOne();

    assertThatExceptionOfType(AssertionError.class)
        .isThrownBy(() ->
            database.run(
                "update berth_private.task set state = 'running', session_id = 1, token = 1,"
                    + " started_at = now() where step = 'second'"))
        .withStackTraceContaining("duplicate key value violates unique constraint \"task_turn\"");
    assertThatExceptionOfType(AssertionError.class)
        .isThrownBy(() ->
            database.run("update berth_private.task set state = 'ready' where step = 'second'"))
        .withStackTraceContaining("task_turn");
  }

  /** Two and a half thousand: a part in the exchange, the rest by sweeps. */
  @Test
  void aLongRestIsCancelledInParts() {
    database.run(
        "select berth.submit_step('order-42', 'first', 'mail', on_failure => 'cancel_rest')",
        "select berth.submit_step('order-42', n::text, 'mail') from generate_series(1, 2500) n");
    sweepNotices();
    Claimer claimer = claimer();
    claimer.end(claimer.claimOne(), new Outcome.Failed("no"));
    sweepNotices();

    assertThat(claimer.claim(10)).isEmpty();
    var workflow = berth.reader().workflow("order-42").orElseThrow();
    assertThat(workflow.state()).isEqualTo(State.FAILED);
    assertThat(workflow.count(TaskState.CANCELLED)).isEqualTo(2_500);
    assertThat(database.query("select id from berth_private.task")).isEmpty();
  }

  /** Nobody here hears the hint of a late commit: it is found by a sweep that looks for all. */
  private void sweepNotices() {
    await()
        .until(() -> {
          store.sweep();
          return database.query("select workflow from berth_private.workflow_notice").isEmpty();
        });
  }

  private Worker worker() {
    return berth
        .worker()
        .pollInterval(Duration.ofHours(1)) // only wake-ups start them
        .handle(Nap.TYPE, (nap, task) -> nap.take())
        .start();
  }

  private Claimer claimer() {
    return Claimer.open(store, "worker", Draft.TYPE);
  }

  private void submit(String workflow, String step) {
    store.submit(List.of(Draft.task().step(workflow, step).submission()));
  }

  /** In the caller's transaction, which stays open. */
  private void append(String workflow) {
    store.joining(connection).submit(List.of(Draft.task().step(workflow, "appended").submission()));
  }
}
