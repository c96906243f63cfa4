package dev.berth.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.limit.LimitKey;
import dev.berth.store.Applied;
import dev.berth.store.Claim;
import dev.berth.store.Command;
import dev.berth.store.Ended;
import dev.berth.view.AuditFilter;
import dev.berth.view.LimitAudit;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Audits of the history, and of the counters: what they show is what happened. */
abstract class AuditContract extends LimitTest {

  private static final int CLAIMERS = 8;
  private static final int TASKS = 200;
  private static final LimitKey ADA = LimitKey.ofTypePer(Draft.TYPE, "user", "ada");
  private static final LimitKey BOB = LimitKey.ofTypePer(Draft.TYPE, "user", "bob");

  @Test
  void whereNothingIsLimitedThereIsNothingToAudit() {
    submitAndEnd(FINISHED);

    assertThat(reader.audit(AuditFilter.ALL)).isEmpty();
    assertThat(reader.drift()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 5, 51})
  @Timeout(value = 1, unit = TimeUnit.MINUTES)
  void manyClaimersReachTheLimitAndNeverExceedIt(int slots) throws Exception {
    submitLike(Draft.task().under(gpu(slots)), TASKS);
    Claimer first = claimer();
    List<Claim> all = claimAll(first, slots);
    assertThat(all).hasSize(slots);
    first.endAll(all, FINISHED);
    AtomicInteger left = new AtomicInteger(TASKS - slots);
    Together.run(
        CLAIMERS,
        number -> {
          Claimer claimer = claimer();
          List<Claim> running = List.of();
          while (left.get() > 0 && !Thread.currentThread().isInterrupted()) {
            List<Ended> ended =
                running.stream().map(claim -> new Ended(claim.lease(), FINISHED)).toList();
            running = Claimer.done(claimer.exchange(ended, 1 + number % 3)).claims();
            left.addAndGet(-running.size());
          }
          return claimer.endAll(running, FINISHED);
        });

    check(audit(GPU), slots, slots);
    assertThat(reader.drift()).isEmpty();
  }

  @Test
  void runningTasksCount() {
    submitLike(Draft.task().under(gpu(4)), 3);
    Claimer claimer = claimer();
    List<Claim> running = claimAll(claimer, 3);
    check(audit(GPU), 3, 4);

    claimer.end(running.getFirst(), FINISHED);
    check(audit(GPU), 3, 4);
    assertThat(reader.drift()).isEmpty();
  }

  @Test
  void weightsCount() {
    submitLike(Draft.task().under(gpu(5), 2), 3);
    Claimer claimer = claimer();
    assertThat(claimAll(claimer, 3)).hasSize(2);

    check(audit(GPU), 4, 5);
    assertThat(reader.drift()).isEmpty();
  }

  @Test
  void attemptsThatWereNotTheLastCount() {
    submit(Draft.task().under(gpu(2)));
    Claimer claimer = claimer();
    claimer.end(claimAll(claimer, 1).getFirst(), retryIn(Duration.ofHours(2)));
    fixture.advance(Duration.ofSeconds(1));
    check(audit(GPU), 1, 2);

    submit(Draft.task().under(gpu(2)));
    claimer.end(claimAll(claimer, 1).getFirst(), RELEASED);
    fixture.advance(Duration.ofSeconds(1));
    assertThat(claimAll(claimer, 1)).hasSize(1);
    pass(LEASE_OVER);
    check(audit(GPU), 1, 2);
    assertThat(reader.drift()).isEmpty();
  }

  @Test
  void aTaskThatNeverRanDoesNotCount() {
    cancel(submit(Draft.task().under(gpu(2))).id());

    assertThat(reader.audit(AuditFilter.ALL)).isEmpty();
  }

  @Test
  void aLoweredLimitThatDrainsIsNoExcess() {
    submitLike(Draft.task().under(gpu(4)), 8);
    Claimer claimer = claimer();
    List<Claim> running = claimAll(claimer, 4);
    fixture.advance(Duration.ofSeconds(1));
    set(GPU, 2);
    fixture.advance(Duration.ofSeconds(1));
    assertThat(claimAll(claimer, 1)).isEmpty();
    assertThat(reader.drift()).isEmpty();
    claimer.endAll(running, FINISHED);
    fixture.advance(Duration.ofSeconds(1));
    assertThat(claimAll(claimer, 4)).hasSize(2);

    check(audit(GPU), 4, 4);
    check(audit(AuditFilter.ALL.key(GPU).from(fixture.now()), GPU), 2, 2);
    assertThat(reader.drift()).isEmpty();
  }

  @Test
  void aRaisedLimitCountsFromItsRaise() {
    submitLike(Draft.task().under(gpu(2)), 8);
    Claimer claimer = claimer();
    assertThat(claimAll(claimer, 8)).hasSize(2);
    fixture.advance(Duration.ofSeconds(1));
    set(GPU, 5);
    assertThat(claimAll(claimer, 8)).hasSize(3);

    check(audit(GPU), 5, 5);
    assertThat(reader.drift()).isEmpty();
  }

  @Test
  void eachKeyOfARuleIsAuditedByItself() {
    submitLike(Draft.task().under(ADA, 2).under(gpu(9)), 3);
    submit(Draft.task().under(BOB, 2).under(gpu(9)));
    Claimer claimer = claimer();
    assertThat(claimAll(claimer, 9)).hasSize(3);

    check(audit(ADA), 2, 2);
    check(audit(BOB), 1, 2);
    check(audit(GPU), 3, 9);
    assertThat(keys(AuditFilter.ALL)).containsExactlyInAnyOrder(ADA, BOB, GPU);
    assertThat(keys(AuditFilter.ALL.key(BOB))).containsExactly(BOB);
    assertThat(keys(AuditFilter.ALL.key(ADA.rule()))).containsExactlyInAnyOrder(ADA, BOB);
    assertThat(reader.drift()).isEmpty();
  }

  @Test
  void aNumberOfItsOwnCountsForOneKeyOnly() {
    submitLike(Draft.task().under(ADA, 1), 3);
    submitLike(Draft.task().under(BOB, 1), 3);
    set(ADA, 2);
    assertThat(claimAll(claimer(), 9)).hasSize(3);

    check(audit(ADA), 2, 2);
    check(audit(BOB), 1, 1);
    assertThat(reader.drift()).isEmpty();
  }

  @Test
  void whatEndedBeforeCanBeLeftOut() {
    submitLike(Draft.task().under(gpu(3)), 3);
    Claimer claimer = claimer();
    claimer.endAll(claimAll(claimer, 3), FINISHED);
    fixture.advance(Duration.ofSeconds(1));
    Instant later = fixture.now();

    assertThat(reader.audit(AuditFilter.ALL.from(later))).isEmpty();
    submit(Draft.task().under(gpu(3)));
    assertThat(claimAll(claimer, 3)).hasSize(1);
    check(audit(AuditFilter.ALL.from(later), GPU), 1, 3);
    check(audit(GPU), 3, 3);
  }

  @Test
  void countingAnewChangesNothingWhereAllIsWell() {
    submitLike(Draft.task().under(gpu(3), 2).under(ADA, 5), 2);
    Claimer claimer = claimer();
    List<Claim> running = claimAll(claimer, 1);

    for (LimitKey key : List.of(GPU, ADA, LimitKey.shared("unheard of"))) {
      assertThat(store.apply(new Command.RecountLimit(key))).isEqualTo(Applied.UNCHANGED);
    }
    assertThat(used(GPU)).isEqualTo(2);
    assertThat(claimAll(claimer, 1)).isEmpty();
    claimer.endAll(running, FINISHED);
    assertThat(claimAll(claimer, 2)).hasSize(1);
    assertThat(reader.drift()).isEmpty();
  }

  private LimitAudit audit(LimitKey key) {
    return audit(AuditFilter.ALL, key);
  }

  private LimitAudit audit(AuditFilter filter, LimitKey key) {
    return reader.audit(filter).stream()
        .filter(audit -> audit.key().equals(key))
        .findFirst()
        .orElseThrow(() -> new AssertionError("The audit does not show " + key));
  }

  private List<LimitKey> keys(AuditFilter filter) {
    return reader.audit(filter).stream().map(LimitAudit::key).toList();
  }

  private void check(LimitAudit audit, int peak, int slots) {
    assertThat(audit.at()).isBeforeOrEqualTo(fixture.now());
    assertThat(audit)
        .isEqualTo(new LimitAudit(audit.key(), peak, slots, audit.at(), false, audit.forgiven()));
    assertThat(audit.forgiven()).isIn(0, null); // a limit that drains starts nothing
  }
}
