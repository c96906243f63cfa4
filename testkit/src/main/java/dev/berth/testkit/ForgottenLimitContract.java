package dev.berth.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.limit.LimitKey;
import dev.berth.store.Command;
import dev.berth.store.SessionRequest;
import dev.berth.task.LimitRule;
import dev.berth.task.TaskType;
import dev.berth.view.LimitView;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Limits that nobody said by hand and nobody uses are forgotten; all others are kept. */
abstract class ForgottenLimitContract extends LimitTest {

  @Test
  void whatNobodyUsesIsForgotten() {
    IntStream.range(0, 20).forEach(n -> submit(Draft.task().under(LimitKey.shared("run-" + n), 2)));
    submit(Draft.task().under(LimitKey.ofTypePer(Draft.TYPE, "user", "7"), 2));
    Claimer claimer = claimer();
    claimer.endAll(claimAll(claimer, 21), FINISHED);
    claimer.leave();
    assertThat(keys()).hasSizeGreaterThanOrEqualTo(20);

    daysPass(9);
    assertThat(keys()).isEmpty();
    assertThat(reader.drift()).isEmpty();
  }

  @Test
  void theLimitOfATypeThatNoWorkerRegistersIsForgottenAndComesAgain() {
    claimerSaying(new LimitRule(MAIL, 3), new LimitRule(GPU, 2)).leave();
    daysPass(3);
    assertThat(keys()).containsExactlyInAnyOrder(MAIL, GPU);
    daysPass(6);
    assertThat(keys()).isEmpty();
    submit(Draft.task());

    Claimer again = claimerSaying(new LimitRule(MAIL, 3), new LimitRule(GPU, 2));
    assertThat(limit(MAIL).slots()).isEqualTo(3);
    submitLike(Draft.task(), 5);
    assertThat(claimAll(again, 10)).hasSize(3); // one came without GPU
  }

  @Test
  void aLimitThatAWorkerRegistersNowAndThenStays() {
    for (int days = 0; days < 10; days++) {
      claimerSaying(new LimitRule(MAIL, 3)).leave();
      daysPass(1);
    }
    assertThat(limit(MAIL).slots()).isEqualTo(3);
  }

  @Test
  void aLimitOfAWorkerThatIsThereStays() {
    SessionRequest forLong =
        new SessionRequest(
            "worker",
            List.of(handled(Draft.TYPE, new LimitRule(MAIL, 3), new LimitRule(GPU, 2))),
            List.of(TaskType.DEFAULT_QUEUE),
            Duration.ofDays(30),
            1);
    store.open(forLong);
    daysPass(9);

    assertThat(keys()).containsExactlyInAnyOrder(MAIL, GPU);
  }

  @Test
  void aLimitOfAWaitingTaskStays() {
    LimitKey other = LimitKey.shared("other");
    claimerSaying(new LimitRule(MAIL, 3)).leave();
    submit(Draft.task().delay(Duration.ofDays(30)));
    submitAll(Draft.task().type("other").under(GPU, 2), Draft.task().type("other").under(other, 2));
    Claimer claimer = claimer("other");
    claimer.endAll(claimAll(claimer, 2), FINISHED);
    claimer.leave();
    submit(Draft.task().type("other").under(GPU, 2).delay(Duration.ofDays(30)));
    daysPass(9);

    assertThat(keys()).containsExactlyInAnyOrder(MAIL, GPU);
  }

  @Test
  void whatAPersonSaidStays() {
    set(MAIL, 2);
    submit(Draft.task().under(GPU, 2));
    Claimer claimer = claimer();
    claimer.endAll(claimAll(claimer, 1), FINISHED);
    claimer.leave();
    store.apply(new Command.PauseLimit(GPU));
    daysPass(9);

    assertThat(limit(MAIL).slots()).isEqualTo(2);
    assertThat(limit(GPU).paused()).isTrue();
  }

  private List<LimitKey> keys() {
    return reader.limits().stream().map(LimitView::key).toList();
  }

  private void daysPass(int days) {
    for (int day = 0; day < days; day++) {
      fixture.advance(Duration.ofDays(1));
      store.sweep();
    }
  }
}
