package dev.berth.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

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

  @ParameterizedTest
  @ValueSource(
      strings = {
        "ready -9223372036854775808 5 default",
        "ready -1 5 default",
        "ready 253402214400000001 5 default",
        "ready 9223372036854775807 -2 default",
        "ready 0 10 default",
        "ready 0 -3 default",
        "ready 0 2147483647 default",
        "due 9223372036854775807 default",
        "step -9223372036854775808 default",
        "step 253402214400000001 default"
      })
  void placesAndTimesThatAreNoneArePassedOver(String forged) {
    assertThat(Hint.parse(forged)).isEmpty();
  }

  @Test
  void theFirstAndTheLastPlaceAreKnown() {
    Hint first = new Hint.Ready("mail", 0, Instant.EPOCH);
    Hint last = new Hint.Ready("mail", 9, Instant.parse("9999-12-31T00:00:00Z"));
    assertThat(Hint.parse(first.payload())).contains(first);
    assertThat(Hint.parse(last.payload())).contains(last);
    assertThat(Hint.parse(Hint.ANYWHERE.payload())).contains(Hint.ANYWHERE);
  }
}
