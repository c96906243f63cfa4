package dev.berth.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

class HintTest {

  @Test
  void aHintSurvivesItsWayThroughTheDatabase() {
    Hint ready = new Hint.Ready("mail to all", 7, Instant.parse("2026-01-02T03:04:05.678901Z"));
    Hint later = new Hint.Later("mail to all", Duration.ofSeconds(3));
    assertThat(Hint.parse(ready.payload())).contains(ready);
    assertThat(Hint.parse(later.payload())).contains(later);
    Hint steps = new Hint.Steps("mail to all", Instant.parse("2026-01-02T03:04:05.678901Z"));
    assertThat(Hint.parse(steps.payload())).contains(steps);
  }

  @Test
  void workDueWithinTheSecondIsNotSaidToBeReady() {
    Hint.Later soon = new Hint.Later("mail", Duration.ofMillis(300));
    assertThat(Hint.parse(soon.payload()))
        .hasValueSatisfying(
            hint -> assertThat(((Hint.Later) hint).in()).isPositive().isLessThan(soon.in()));
  }

  @Test
  void whatOthersSendIsPassedOver() {
    assertThat(Hint.parse("")).isEmpty();
    assertThat(Hint.parse("ready soon")).isEmpty();
    assertThat(Hint.parse("due tomorrow mail")).isEmpty();
    assertThat(Hint.parse("step now mail")).isEmpty();
    assertThat(Hint.parse("cancel 7")).isEmpty();
  }
}
