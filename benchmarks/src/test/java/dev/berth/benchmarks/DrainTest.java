package dev.berth.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.Berth;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class DrainTest {

  @Test
  void whatTakesTooLongIsCutOffAndTellsWhatEnded() throws Exception {
    try (Berth berth = Berth.open("memory:")) {
      NoOp.submit(berth, 10);
      Duration longest = Duration.ofSeconds(2); // the eleventh never comes
      Drain.Drained drained = Drain.within(longest, berth, NoOp.TYPE, 11);

      assertThat(drained.tasks()).isEqualTo(10);
      assertThat(drained.time()).isGreaterThanOrEqualTo(longest);
      assertThat(drained.perSecond()).isBetween(0.01, 5.0);
    }
  }
}
