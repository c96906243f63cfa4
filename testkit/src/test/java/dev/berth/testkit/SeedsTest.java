package dev.berth.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class SeedsTest {

  @Test
  void eachTimeOthersAreDrawn() {
    assertThat(Seeds.choose(null, 5)).hasSize(5).doesNotContain(Seeds.choose(null, 5));
  }

  @Test
  void oneIsReplayedAlone() {
    assertThat(Seeds.choose(7L, 5)).containsExactly(7);
  }

  @Test
  void aFailureSaysHowToSeeItAgain() {
    assertThat(Seeds.failed(7, "step 3", new AssertionError("wrong")))
        .hasMessage("Seed 7, step 3 (-Dberth.seed=7 replays it)");
  }
}
