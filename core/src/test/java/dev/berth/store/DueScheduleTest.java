package dev.berth.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.berth.schedule.Missed;
import dev.berth.schedule.Timing;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What is to be submitted of a schedule that is due, and when it is due again. */
class DueScheduleTest {

  private static final Instant START = Instant.parse("2030-01-01T00:00:00Z");
  private static final Duration MINUTE = Duration.ofMinutes(1);

  @Test
  void aScheduleWithoutANextTimeIsGivenItsFirst() {
    Advance first = at(null, Missed.ONCE, Duration.ofSeconds(90)).advance();

    assertThat(first.occurrences()).isEmpty();
    assertThat(first.next()).isEqualTo(START.plus(MINUTE)); // due at once: it is not forgotten
  }

  @Test
  void theLatestOfMillionsIsFoundAtOnce() {
    Duration years = Duration.ofDays(3650).plusSeconds(30);
    Advance advance = at(START.plus(MINUTE), Missed.ONCE, years).advance();

    assertThat(advance.occurrences()).containsExactly(START.plus(Duration.ofDays(3650)));
    assertThat(advance.next()).isEqualTo(START.plus(Duration.ofDays(3650)).plus(MINUTE));
  }

  @Test
  void anOccurrenceAtThisVeryMomentIsDue() {
    for (Missed missed : Missed.values()) {
      Advance advance = at(START.plus(MINUTE), missed, MINUTE).advance();

      assertThat(advance.occurrences()).containsExactly(START.plus(MINUTE));
      assertThat(advance.catchingUp()).isFalse();
      assertThat(advance.next()).isEqualTo(START.plus(MINUTE.multipliedBy(2)));
    }
  }

  @Test
  void whatIsLateByLessThanTheGraceIsNotMissed() {
    Instant due = START.plus(MINUTE);

    assertThat(at(due, Missed.NONE, MINUTE.plus(Missed.GRACE)).advance().occurrences())
        .containsExactly(due);
    assertThat(at(due, Missed.NONE, MINUTE.plus(Missed.GRACE).plusNanos(1)).advance().occurrences())
        .isEmpty();
  }

  /** The rest is never one: alone it would look like one that is on time. */
  @ParameterizedTest
  @ValueSource(ints = {2, 999, 1_000, 1_001, 1_002, 1_003, 2_001, 3_000})
  void allAreSubmittedInPartsOfMoreThanOne(int missed) {
    Duration passed = MINUTE.multipliedBy(missed);
    Instant next = START.plus(MINUTE);
    int submitted = 0;
    while (!next.isAfter(START.plus(passed))) {
      Advance advance = at(next, Missed.ALL, passed).advance();

      assertThat(advance.catchingUp()).isTrue();
      assertThat(advance.occurrences()).hasSizeBetween(2, DueSchedule.MOST);
      assertThat(advance.occurrences().getFirst()).isEqualTo(next);
      submitted += advance.occurrences().size();
      next = advance.next();
    }
    assertThat(submitted).isEqualTo(missed);
  }

  @Test
  void wrongTimesAreAnErrorOfTheSchedule() {
    DueSchedule due =
        new DueSchedule(
            "s", 1, new Timing.Every(Duration.ZERO), Missed.ONCE, START, START, null, START);

    assertThat(due.advance().next()).isNull();
    assertThat(due.advance().error())
        .isEqualTo("it cannot run every PT0S: use a time from 100 ms to 36500 days");
  }

  @Test
  void aWorkerThatCannotReadCronSaysWhatItLacks() {
    DueSchedule due =
        new DueSchedule(
            "s", 1, new Timing.Cron("0 3 * * *", "UTC"), Missed.ONCE, START, START, null, START);

    assertThatIllegalStateException()
        .isThrownBy(due::advance)
        .withMessageContaining("add the dependency dev.berth:berth-cron");
  }

  @Test
  void aFixedRateIsCountedFromItsAnchor() {
    Timing.Every every = new Timing.Every(Duration.ofSeconds(7));

    assertThat(Stream.iterate(START, time -> every.after(time, START)).skip(1).limit(3).toList())
        .isEqualTo(List.of(START.plusSeconds(7), START.plusSeconds(14), START.plusSeconds(21)));
    assertThat(every.after(START.plusSeconds(13), START)).isEqualTo(START.plusSeconds(14));
    assertThat(every.after(START.minusSeconds(100), START)).isEqualTo(START.plusSeconds(7));
  }

  private static DueSchedule at(Instant next, Missed missed, Duration passed) {
    return new DueSchedule(
        "s", 1, new Timing.Every(MINUTE), missed, START, START, next, START.plus(passed));
  }
}
