package dev.berth.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.limit.Limit;
import dev.berth.limit.LimitKey;
import dev.berth.store.Command;
import dev.berth.task.TaskId;
import dev.berth.testkit.Claimer;
import dev.berth.testkit.Draft;
import dev.berth.view.AuditFilter;
import dev.berth.view.Explanation;
import dev.berth.view.LimitAudit;
import dev.berth.view.Obstacle;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * An audit that cannot fail proves nothing: a history with an excess, written by hand, is found
 * out.
 */
class AuditTest {

  private static final LimitKey GPU = LimitKey.shared("gpu");
  private static final LimitKey ADA = LimitKey.ofTypePer(Draft.TYPE, "user", "ada");
  private static final Instant NOON = Instant.parse("2020-01-01T12:00:00Z");

  private final PostgresFixture fixture = PostgresFixture.on(Servers.NEWEST);
  private final PostgresStore store = fixture.store();

  @AfterEach
  void close() {
    fixture.close();
  }

  @Test
  void anExcessIsFound() {
    number(GPU, 2, 0);
    ran(GPU, 1, 0, 30);
    ran(GPU, 1, 10, 20);
    assertThat(audit()).containsExactly(new LimitAudit(GPU, 2, 2, at(10), false));

    ran(GPU, 1, 15, 16);
    assertThat(audit()).containsExactly(new LimitAudit(GPU, 3, 2, at(15), true));
  }

  @Test
  void theWorstExcessIsShownAndNotTheHighestPeak() {
    number(GPU, 9, 0);
    ran(GPU, 8, 10, 20);
    number(GPU, 1, 30);
    ran(GPU, 3, 40, 50);

    assertThat(audit()).containsExactly(new LimitAudit(GPU, 3, 1, at(40), true));
  }

  @Test
  void aSlotThatPassesOnInNoTimeIsNoOverlap() {
    number(GPU, 1, 0);
    ran(GPU, 1, 10, 20);
    ran(GPU, 1, 20, 30);

    assertThat(audit()).containsExactly(new LimitAudit(GPU, 1, 1, at(10), false));
  }

  @Test
  void anExchangeUnderWayMayFollowTheOldNumberForAMoment() {
    number(GPU, 2, 0);
    ran(GPU, 1, 5, 60);
    number(GPU, 1, 10);
    ran(GPU, 1, 10.5, 11);
    assertThat(audit()).containsExactly(new LimitAudit(GPU, 2, 1, at(10.5), false, 1));
    assertThat(fixture.database().query("select forgiven from berth.audit()")).containsExactly("1");

    ran(GPU, 1, 12, 13);
    assertThat(audit()).containsExactly(new LimitAudit(GPU, 2, 1, at(12), true, 1));
    assertThat(fixture.database().query("select forgiven from berth.audit()")).containsExactly("1");
  }

  @Test
  void aLimitThatWasTakenAwayIsNotExceeded() {
    number(GPU, 1, 0);
    number(GPU, null, 10);
    ran(GPU, 5, 20, 30);

    assertThat(audit()).containsExactly(new LimitAudit(GPU, 5, null, at(20), false));
  }

  @Test
  void theNumberOfARuleHoldsForEachKeyAndANumberOfItsOwnBeforeIt() {
    number(ADA.rule(), 1, 0);
    ran(ADA, 2, 10, 20);
    assertThat(audit()).containsExactly(new LimitAudit(ADA, 2, 1, at(10), true));

    number(ADA, 3, 5);
    assertThat(audit()).containsExactly(new LimitAudit(ADA, 2, 3, at(10), false));
  }

  @Test
  void everyChangeOfANumberInForceIsLogged() {
    store.submit(List.of(Draft.task().under(Limit.of("gpu", 4)).submission()));
    Claimer.open(store, "worker", Draft.TYPE).claim(1);
    store.apply(new Command.SetLimit(GPU, 2));
    store.apply(new Command.SetLimit(GPU, 2));
    store.apply(new Command.PauseLimit(GPU));
    store.apply(new Command.ResetLimit(GPU));

    assertThat(
            fixture
                .database()
                .query(
                    "select slots from berth_private.limit_change where key = 'limit/gpu' order by"
                        + " at"))
        .containsExactly("4", "2", "4");
  }

  @Test
  void changesAreForgottenWithTheHistoryButForTheLast() {
    number(GPU, 1, 0);
    number(GPU, 2, 10);
    number(GPU, 3, 20);
    fixture.database().run("select berth.prune()"); // they are older than any history

    assertThat(fixture.database().query("select slots from berth_private.limit_change"))
        .containsExactly("3");
  }

  @Test
  void aPacedLimitIsExplained() {
    Draft draft = Draft.task().under(Limit.of("api", 4));
    store.submit(List.of(draft.submission()));
    Claimer.open(store, "worker", Draft.TYPE);
    fixture
        .database()
        .run(
            "insert into berth_private.task_limit (key, slots, code_slots, submit_slots, pace,"
                + " next_start_at) values ('limit/api', 4, 4, 4, '1 hour', berth_private.now() +"
                + " interval '1 hour')");

    Explanation.Waiting waiting =
        (Explanation.Waiting) store.reader().explain(draft.id()).orElseThrow();
    assertThat(waiting.obstacles()).first().isInstanceOf(Obstacle.Paced.class);
  }

  private List<LimitAudit> audit() {
    return store.reader().audit(AuditFilter.ALL);
  }

  private void number(LimitKey key, Integer slots, double second) {
    fixture
        .database()
        .run(
            "insert into berth_private.limit_change (key, at, slots) values ('%s', '%s', %s)"
                .formatted(key, at(second), slots));
  }

  /** A task that ran between these seconds after noon. */
  private void ran(LimitKey key, int weight, double from, double to) {
    fixture
        .database()
        .run(
            """
            insert into berth_private.task_history (task_id, submitted_at, due_at, started_at, ended_at, keep_until, outcome,
              attempt, failures, crashes, priority, final, type, queue, limits, weights)
            values ('%s', '%s', '%s', '%s', '%s', '2999-01-01', 'finished', 1, 0, 0, 5, true, 'mail', 'default',
              array['%s'], array[%d])
            """
                .formatted(TaskId.next(), at(from), at(from), at(from), at(to), key, weight));
  }

  private static Instant at(double second) {
    return NOON.plusMillis(Math.round(second * 1000));
  }
}
