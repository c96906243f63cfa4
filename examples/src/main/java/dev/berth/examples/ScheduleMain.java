package dev.berth.examples;

import dev.berth.Berth;
import dev.berth.schedule.Missed;
import dev.berth.schedule.Overlap;
import dev.berth.task.TaskType;
import java.time.Duration;
import java.time.ZoneId;
import java.util.concurrent.CountDownLatch;

/** Tasks that are submitted again and again: every so often, and by cron in a time zone. */
public final class ScheduleMain {

  record Report(String of) {}

  private ScheduleMain() {}

  public static void main(String[] arguments) throws Exception {
    var report = TaskType.of("report", Report.class);
    var three = new CountDownLatch(3);
    var berlin = ZoneId.of("Europe/Berlin");

    try (var berth = Berth.open("memory:");
        var worker =
            berth
                .worker()
                .handle(
                    report,
                    (payload, task) -> {
                      System.out.println(
                          "Report of "
                              + payload.of()
                              + " from "
                              + task.metadata().get("berth.schedule"));
                      three.countDown();
                    })
                .start()) {

      berth.schedule("ticker").every(Duration.ofMillis(200)).submits(report, new Report("sales"));
      berth
          .schedule("nightly")
          .cron("0 3 * * *", berlin)
          .missed(Missed.ALL) // of nights in which no worker ran
          .overlap(Overlap.QUEUE) // if one takes longer than a day
          .submits(report, new Report("stock"), o -> o.priority(9));

      three.await();
      berth.schedules().pause("ticker");
      for (var schedule : berth.schedules().list()) {
        System.out.println(schedule.name() + ": " + schedule.when().timing());
      }
      for (var time : berth.schedules().find("nightly").orElseThrow().upcoming(3)) {
        System.out.println("nightly at " + time.atZone(berlin).toLocalTime());
      }
      System.out.println("nightly now: task " + berth.schedules().run("nightly").orElseThrow());
    }
  }
}
