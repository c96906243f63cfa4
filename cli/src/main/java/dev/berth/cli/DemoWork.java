package dev.berth.cli;

import dev.berth.task.Retry;
import dev.berth.task.TaskType;
import java.time.Duration;
import java.util.List;

/** The work of a small shop: what the demo's tasks are and what their handlers do. */
final class DemoWork {

  private static final Retry SOON =
      Retry.exponential(5, Duration.ofMillis(200), Duration.ofSeconds(1));

  record Email(String to, String template) {}

  record Image(String key, int megabytes) {}

  record Order(int number, long cents) {}

  record Receipt(int order, String reference) {}

  record Report(String customer, int month) {}

  private DemoWork() {}

  /** The types, all in one queue; their percentages come to 100. */
  static List<DemoPart<?>> in(String queue) {
    return List.of(emails(queue), images(queue), charges(queue), reports(queue));
  }

  /** Done at once. */
  private static DemoPart<Email> emails(String queue) {
    var type = TaskType.of("send_email", Email.class).queue(queue);
    return new DemoPart<>(
        type,
        55,
        number -> new Email("customer-%d@example.org".formatted(number), "welcome"),
        worker -> worker.handle(type, (email, task) -> {}));
  }

  /** 5 to 50 ms. */
  private static DemoPart<Image> images(String queue) {
    var type = TaskType.of("resize_image", Image.class).queue(queue);
    return new DemoPart<>(
        type,
        25,
        number -> new Image("photos/%d.jpg".formatted(number), 1 + number % 10),
        worker -> worker.handle(type, (image, task) -> Thread.sleep(5 * image.megabytes())));
  }

  /** 5 to 20 ms, with a result; every fifth order meets a failure that is gone the next time. */
  private static DemoPart<Order> charges(String queue) {
    var type =
        TaskType.of("charge_card", Order.class).returning(Receipt.class).queue(queue).retry(SOON);
    return new DemoPart<>(
        type,
        15,
        number -> new Order(number, 990 + number % 100 * 10L),
        worker ->
            worker.answer(
                type,
                (order, task) -> {
                  Thread.sleep(5 + order.number() % 16);
                  if (order.number() % 5 == 0 && task.attempt() == 1) {
                    throw new IllegalStateException("The card processor did not answer");
                  }
                  return new Receipt(order.number(), "receipt-" + order.number());
                }));
  }

  /** 21 to 32 ms, after everything else. */
  private static DemoPart<Report> reports(String queue) {
    var type = TaskType.of("build_report", Report.class).queue(queue).priority(2);
    return new DemoPart<>(
        type,
        5,
        number -> new Report("customer-" + number, 1 + number % 12),
        worker -> worker.handle(type, (report, task) -> Thread.sleep(20 + report.month())));
  }
}
