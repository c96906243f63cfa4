package dev.berth.schedule;

import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.zone.ZoneOffsetTransition;
import java.time.zone.ZoneRules;
import java.util.Optional;

/**
 * The times of a cron expression in a zone whose clocks are put forward and back, as Unix cron has
 * them. What runs at fixed hours runs once on each such day: where its time is left out, at the
 * moment of the change; where its time comes twice, at the first. What runs at intervals (a star in
 * the minutes or hours) follows the clock on the wall: not in an hour that is left out, and again
 * in an hour that comes again.
 *
 * @param fixed whether it runs at fixed hours
 */
record CronClock(String expression, CronReader.Times times, ZoneRules zone, boolean fixed) {

  static CronClock of(Timing.Cron cron) {
    ZoneRules zone;
    try {
      zone = ZoneId.of(cron.zone()).getRules();
    } catch (DateTimeException e) {
      throw new IllegalArgumentException(
          "the time zone \""
              + cron.zone()
              + "\" does not exist: use the name of one, such as Europe/Berlin or UTC",
          e);
    }
    CronReader.Times times;
    try {
      times = CronReader.installed().read(cron.expression());
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(
          "\""
              + cron.expression()
              + "\" is not a cron expression ("
              + e.getMessage()
              + "): use five fields, minute, hour, day, month and weekday, such as \"0 3 * * *\"",
          e);
    }
    String[] fields = cron.expression().strip().split("\\s+");
    boolean fixed = !fields[0].startsWith("*") && !fields[1].startsWith("*");
    return new CronClock(cron.expression(), times, zone, fixed);
  }

  Instant after(Instant time) {
    ZoneOffset offset = zone.getOffset(time);
    LocalDateTime from = LocalDateTime.ofInstant(time, offset);
    ZoneOffsetTransition last = fixed ? zone.previousTransition(time.plusNanos(1)) : null;
    if (last != null && last.isOverlap() && from.isBefore(last.getDateTimeBefore())) {
      from = last.getDateTimeBefore().minusNanos(1); // these times have been, an offset ago
    }
    while (true) {
      Instant next = next(from).toInstant(offset);
      ZoneOffsetTransition change = zone.nextTransition(time);
      if (change == null || next.isBefore(change.getInstant())) {
        return next;
      }
      if (fixed && change.isGap() && inGap(from, change)) {
        return change.getInstant();
      }
      time = change.getInstant();
      offset = change.getOffsetAfter();
      from = afterChange(change).minusNanos(1);
    }
  }

  /** Whether a time is left out when the clocks are put forward. */
  private boolean inGap(LocalDateTime from, ZoneOffsetTransition change) {
    LocalDateTime first = change.getDateTimeBefore().minusNanos(1);
    return next(from.isAfter(first) ? from : first).isBefore(change.getDateTimeAfter());
  }

  /** The first time on the clock that counts after it was changed. */
  private LocalDateTime afterChange(ZoneOffsetTransition change) {
    return fixed && change.isOverlap() ? change.getDateTimeBefore() : change.getDateTimeAfter();
  }

  private LocalDateTime next(LocalDateTime time) {
    Optional<LocalDateTime> next = times.after(time);
    return next.orElseThrow(() ->
        new IllegalArgumentException(
            "it would never run: no date fits the cron expression \""
                + expression
                + "\". Change its day or its month"));
  }
}
