package dev.berth.worker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.store.Claim;
import dev.berth.store.Lease;
import dev.berth.task.Outcome;
import dev.berth.task.TaskId;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class StandbysTest {

  private final Standbys standbys = new Standbys();

  @Test
  void oneThatComesAfterTheEndOfAnotherStartsAtOnce() {
    Attempt ended = ended();
    Attempt standby = standby(Ticks.NEVER);

    assertThat(standbys.add(standby)).isTrue();
    assertThat(ended.heir()).isSameAs(standby);
  }

  /** As after an exchange that took longer than a standby may wait. */
  @Test
  void oneThatComesTooLateDoesNotStart() {
    Attempt ended = ended();
    Attempt late = standby(Ticks.now());

    assertThat(standbys.add(late)).isFalse();
    assertThat(ended.heir()).isNull();
    assertThat(standbys.withdraw(each -> each.startBy() <= Ticks.now())).containsExactly(late);
  }

  @Test
  void oneThatHasWaitedTooLongDoesNotStart() {
    Attempt running = attempt(false);
    running.began(Ticks.now());
    standbys.started(running);
    standbys.add(standby(Ticks.now()));
    running.outcome(new Outcome.Finished(null));

    assertThat(standbys.after(running, 1)).isNull();
  }

  @Test
  void theSlotOfOneThatIsHandedInIsNotOursAnyMore() {
    Attempt ended = ended();

    standbys.handingIn(List.of(ended));

    assertThat(standbys.add(standby(Ticks.NEVER))).isFalse();
  }

  @Test
  void asManyAreWantedAheadAsRunUntilMoreAreThere() {
    assertThat(standbys.ahead(1_000)).as("nothing is known of a type that never ran").isEmpty();
    ended(100);

    assertThat(standbys.ahead(1_000)).containsExactly(Map.entry("t", 11));
    assertThat(standbys.ahead(1_000_000)).containsExactly(Map.entry("t", 64));
  }

  @Test
  void noneIsWantedAheadOfLongTasks() {
    ended(TimeUnit.SECONDS.toNanos(1));

    assertThat(standbys.ahead(TimeUnit.SECONDS.toNanos(5))).isEmpty();
  }

  private Attempt ended() {
    return ended(1);
  }

  private Attempt ended(long ran) {
    Attempt attempt = attempt(false);
    attempt.began(Ticks.now());
    standbys.started(attempt);
    attempt.outcome(new Outcome.Finished(null));
    assertThat(standbys.after(attempt, ran)).isNull();
    return attempt;
  }

  private static Attempt standby(long startBy) {
    Attempt attempt = attempt(true);
    attempt.startBy(startBy);
    return attempt;
  }

  @SuppressWarnings("NullAway")
  private static Attempt attempt(boolean standby) {
    Lease lease = new Lease(TaskId.next(), 1);
    return new Attempt(
        new Claim(
            lease, "t", "q", 5, "", Map.of(), 1, 0, 0, Instant.EPOCH, null, "limit/a", standby),
        null,
        null);
  }
}
