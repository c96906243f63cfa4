package dev.berth;

import dev.berth.schedule.Missed;
import dev.berth.schedule.Overlap;
import dev.berth.schedule.Timing;
import java.time.Duration;
import java.time.ZoneId;

/** A schedule that has a name and is to be given its times. */
public final class ScheduleTimes {

  private final String name;
  private final ScheduleBuilder.Target target;

  ScheduleTimes(String name, ScheduleBuilder.Target target) {
    this.name = name;
    this.target = target;
  }

  /**
   * At the times of a Unix cron expression, such as {@code "0 3 * * *"}: minute, hour, day, month
   * and weekday. Needs berth-cron on the class path.
   */
  public ScheduleBuilder cron(String expression, ZoneId zone) {
    return cron(expression, zone.getId());
  }

  /** As above, with the name of a zone, such as {@code "Europe/Berlin"}. */
  public ScheduleBuilder cron(String expression, String zone) {
    return at(new Timing.Cron(expression, zone));
  }

  /** At a fixed rate: first after this time, then again and again. From 100 ms on. */
  public ScheduleBuilder every(Duration period) {
    return at(new Timing.Every(period));
  }

  private ScheduleBuilder at(Timing timing) {
    timing.check(name);
    return new ScheduleBuilder(name, timing, Missed.ONCE, Overlap.SKIP, target);
  }
}
