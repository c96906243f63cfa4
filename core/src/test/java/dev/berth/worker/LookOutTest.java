package dev.berth.worker;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class LookOutTest {

  private static final Duration POLL = Duration.ofSeconds(10);
  private static final int A_WHILE = 10;

  private final LookOut lookOut = new LookOut(POLL, new Signal());

  @Test
  void whoHearsNothingPolls() {
    lookInVain(2 * A_WHILE);

    assertThat(untilNext()).isBetween(POLL.multipliedBy(8).dividedBy(10), POLL.multipliedBy(2));
  }

  @Test
  void whoHearsAndFindsNothingLooksRarely() {
    lookOut.hearing(() -> true);
    lookInVain(A_WHILE - 1);
    assertThat(untilNext()).isLessThan(POLL.multipliedBy(2));

    lookInVain(1);

    assertThat(untilNext()).isBetween(POLL.multipliedBy(8), POLL.multipliedBy(11));
  }

  @Test
  void whatIsFoundEndsTheIdleness() {
    lookOut.hearing(() -> true);
    lookInVain(A_WHILE);

    lookOut.looked(true);

    assertThat(untilNext()).isLessThan(POLL.multipliedBy(2));
  }

  @Test
  void aHintIsFollowedAtOnce() {
    lookOut.hearing(() -> true);
    lookInVain(A_WHILE);

    lookOut.hint();

    assertThat(untilNext()).isLessThanOrEqualTo(Duration.ZERO);
  }

  @Test
  void hintsThatLeadToNothingAreFollowedLessOften() {
    followInVain(A_WHILE - 1);
    lookOut.hint();
    assertThat(untilNext()).isLessThanOrEqualTo(Duration.ZERO);

    followInVain(1);

    lookOut.hint();
    assertThat(untilNext()).isBetween(POLL.dividedBy(5), POLL.dividedBy(4));
  }

  @Test
  void aHintThatLedToWorkMakesTheNextOnesBelieved() {
    followInVain(A_WHILE);
    lookOut.hint();
    lookOut.looking();
    lookOut.looked(true);

    lookOut.hint();

    assertThat(untilNext()).isLessThanOrEqualTo(Duration.ZERO);
  }

  private void followInVain(int times) {
    for (int i = 0; i < times; i++) {
      lookOut.hint();
      lookInVain(1);
    }
  }

  private void lookInVain(int times) {
    for (int i = 0; i < times; i++) {
      lookOut.looking();
      lookOut.looked(false);
    }
  }

  private Duration untilNext() {
    return Duration.ofNanos(lookOut.next() - Ticks.now());
  }
}
