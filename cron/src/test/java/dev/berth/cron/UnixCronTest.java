package dev.berth.cron;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.berth.schedule.Timing;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Times of cron expressions, also on the days on which clocks are changed. */
class UnixCronTest {

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "0 3 * * *             | 2026-01-01T03:00 2026-01-02T03:00",
        "*/15 9-17 * * MON-FRI | 2026-01-01T09:00 2026-01-01T09:15",
        "0 0 29 2 *            | 2028-02-29T00:00 2032-02-29T00:00",
        "0 0 31 * *            | 2026-01-31T00:00 2026-03-31T00:00",
        "0 0 * * 7             | 2026-01-04T00:00 2026-01-11T00:00",
        "0 0 * * 0             | 2026-01-04T00:00 2026-01-11T00:00",
        "5,35 0 1 feb *        | 2026-02-01T00:05 2026-02-01T00:35",
        // as in crontab(5): where day and weekday are both said, either will do
        "0 0 13 * FRI          | 2026-01-02T00:00 2026-01-09T00:00 2026-01-13T00:00"
      })
  void readsExpressionsAsCronDoes(String expression, String times) {
    assertThat(after("2026-01-01T00:00Z", expression, "UTC", times.split(" ").length))
        .extracting(time -> time.toString().replace(":00Z", ""))
        .containsExactly(times.split(" "));
  }

  @Test
  void aTimeIsNotItsOwnNext() {
    Timing nightly = new Timing.Cron("0 3 * * *", "Europe/Berlin");
    Instant three = at("2026-06-01T03:00+02:00");

    assertThat(nightly.after(three.minusNanos(1), three)).isEqualTo(three);
    assertThat(nightly.after(three, three)).isEqualTo(at("2026-06-02T03:00+02:00"));
  }

  /** On 29 March 2026 the clocks of Berlin go from 02:00 to 03:00. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        // left out by the clock, made up for at the change
        "30 2 * * *   | 2026-03-29T03:00+02:00 2026-03-30T02:30+02:00 2026-03-31T02:30+02:00",
        "0 2 * * *    | 2026-03-29T03:00+02:00 2026-03-30T02:00+02:00",
        "10 2,3 * * * | 2026-03-29T03:00+02:00 2026-03-29T03:10+02:00 2026-03-30T02:10+02:00",
        // at the same moment as what is made up for: once
        "0 2,3 * * *  | 2026-03-29T03:00+02:00 2026-03-30T02:00+02:00 2026-03-30T03:00+02:00",
        "0 3 * * *    | 2026-03-29T03:00+02:00 2026-03-30T03:00+02:00",
        "59 1 * * *   | 2026-03-29T01:59+01:00 2026-03-30T01:59+02:00",
        // at intervals: there is no hour 2
        "0 * * * *    | 2026-03-29T01:00+01:00 2026-03-29T03:00+02:00 2026-03-29T04:00+02:00",
        "*/30 * * * * | 2026-03-29T01:00+01:00 2026-03-29T01:30+01:00 2026-03-29T03:00+02:00",
        "*/20 2 * * * | 2026-03-30T02:00+02:00 2026-03-30T02:20+02:00 2026-03-30T02:40+02:00"
      })
  void whenTheClocksGoForward(String expression, String times) {
    assertTimes("2026-03-29T00:45+01:00", expression, "Europe/Berlin", times);
  }

  /** On 25 October 2026 the clocks of Berlin go from 03:00 back to 02:00. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        // at a fixed time: the first of the two, and only that
        "30 2 * * *   | 2026-10-25T02:30+02:00 2026-10-26T02:30+01:00",
        "0 2 * * *    | 2026-10-25T02:00+02:00 2026-10-26T02:00+01:00",
        "0 2,3 * * *  | 2026-10-25T02:00+02:00 2026-10-25T03:00+01:00 2026-10-26T02:00+01:00",
        "0 3 * * *    | 2026-10-25T03:00+01:00 2026-10-26T03:00+01:00",
        // at intervals: the hour comes twice
        "0 * * * *    | 2026-10-25T01:00+02:00 2026-10-25T02:00+02:00 2026-10-25T02:00+01:00"
            + " 2026-10-25T03:00+01:00",
        "*/30 2 * * * | 2026-10-25T02:00+02:00 2026-10-25T02:30+02:00 2026-10-25T02:00+01:00"
            + " 2026-10-25T02:30+01:00 2026-10-26T02:00+01:00"
      })
  void whenTheClocksGoBack(String expression, String times) {
    assertTimes("2026-10-25T00:45+02:00", expression, "Europe/Berlin", times);
  }

  /** A worker that starts in the second of two hours does not repeat what ran in the first. */
  @Test
  void inTheSecondOfTwoHoursNothingComesAgain() {
    assertTimes("2026-10-25T02:10+01:00", "30 2 * * *", "Europe/Berlin", "2026-10-26T02:30+01:00");
    assertTimes("2026-10-25T02:00+01:00", "30 2 * * *", "Europe/Berlin", "2026-10-26T02:30+01:00");
  }

  @Test
  void otherZonesChangeAtOtherTimes() {
    assertTimes(
        "2026-03-08T00:00-05:00",
        "30 2 * * *",
        "America/New_York",
        "2026-03-08T03:00-04:00 2026-03-09T02:30-04:00");
    assertTimes(
        "2026-11-01T00:00-04:00",
        "30 1 * * *",
        "America/New_York",
        "2026-11-01T01:30-04:00 2026-11-02T01:30-05:00");
    // half an hour
    assertTimes(
        "2026-10-04T00:00+10:30",
        "15 2 * * *",
        "Australia/Lord_Howe",
        "2026-10-04T02:30+11:00 2026-10-05T02:15+11:00");
    // a whole day was left out
    assertTimes(
        "2011-12-29T12:00-10:00",
        "0 9 * * *",
        "Pacific/Apia",
        "2011-12-31T00:00+14:00 2011-12-31T09:00+14:00");
  }

  /** Whatever the expression: once on each day, in order, for three years. */
  @ParameterizedTest
  @CsvSource({"Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Africa/Casablanca"})
  void aDailyTaskRunsOnceADay(String zone) {
    for (String expression : List.of("0 0 * * *", "30 1 * * *", "15 2 * * *", "59 2 * * *")) {
      List<Instant> times = after("2025-01-01T12:00Z", expression, zone, 3 * 365);

      assertThat(times).isSorted().doesNotHaveDuplicates();
      assertThat(
              times.stream().map(time -> LocalDateTime.ofInstant(time, zone(zone)).toLocalDate()))
          .doesNotHaveDuplicates();
      assertThat(Duration.between(times.getFirst(), times.getLast()).toHours())
          .isBetween((3 * 365 - 1) * 24L - 1, (3 * 365 - 1) * 24L + 1);
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "0 25 * * *  | UTC           | \"0 25 * * *\" is not a cron expression (value 25 not in"
            + " range [0, 23]): use five fields, minute, hour, day, month and weekday, such as \"0"
            + " 3 * * *\"",
        "0 3 * *     | UTC           | (cron expression contains 4 parts but we expect one of [5])",
        "''          | UTC           | (empty expression!)",
        "x y z a b   | UTC           | is not a cron expression",
        "@daily      | UTC           | is not a cron expression",
        "*/0 * * * * | UTC           | is not a cron expression",
        "0 0 30 2 *  | UTC           | it would never run: no date fits the cron expression \"0 0"
            + " 30 2 *\". Change its day or its month",
        "0 0 31 4,6 * | UTC          | it would never run",
        "0 3 * * *   | Mars/Base     | the time zone \"Mars/Base\" does not exist: use the name of"
            + " one, such as Europe/Berlin or UTC",
        "0 3 * * *   | ''            | the time zone \"\" does not exist"
      })
  void whatIsWrongIsSaid(String expression, String zone, String error) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new Timing.Cron(expression, zone).check("nightly"))
        .withMessageStartingWith("Schedule nightly: ")
        .withMessageContaining(error);
  }

  private static void assertTimes(String from, String expression, String zone, String times) {
    String[] expected = times.split(" ");
    assertThat(after(from, expression, zone, expected.length))
        .containsExactly(List.of(expected).stream().map(UnixCronTest::at).toArray(Instant[]::new));
  }

  private static List<Instant> after(String from, String expression, String zone, int count) {
    Timing timing = new Timing.Cron(expression.strip(), zone);
    List<Instant> times = new ArrayList<>();
    for (Instant time = at(from); times.size() < count; times.add(time)) {
      time = timing.after(time, time);
    }
    return times;
  }

  private static ZoneId zone(String name) {
    return ZoneId.of(name);
  }

  private static Instant at(String text) {
    return OffsetDateTime.parse(text).toInstant();
  }
}
