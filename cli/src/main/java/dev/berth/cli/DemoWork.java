package dev.berth.cli;

import dev.berth.limit.Limit;
import dev.berth.limit.LimitKey;
import dev.berth.task.Retry;
import dev.berth.task.TaskType;
import java.time.Duration;
import java.util.List;
import org.slf4j.event.Level;

/** The work of a small shop: what the demo's tasks are, what their handlers do, its limits. */
final class DemoWork {

  private static final Retry SOON =
      Retry.exponential(5, Duration.ofMillis(200), Duration.ofSeconds(1));

  private static final Limit CPU = Limit.of("cpu", 40);
  private static final int CHARGES = 15;
  private static final int REPORTS_PER_CUSTOMER = 1;
  private static final int CUSTOMERS = 20;

  record Email(String to, String template) {}

  record Image(String key, int megabytes) {}

  record Order(int number, long cents) {}

  record Receipt(int order, String reference) {}

  record Report(String customer, int month) {}

  private final String queue;
  private final DemoLimit cpu = new DemoLimit(CPU.key(), CPU.slots());
  private final DemoLimit charges = new DemoLimit(LimitKey.ofType("charge_card"), CHARGES);
  private final DemoLimit customers =
      new DemoLimit(LimitKey.ruleOf("build_report", "customer"), REPORTS_PER_CUSTOMER);

  /** All types are in this queue. */
  DemoWork(String queue) {
    this.queue = queue;
  }

  /** The types; their percentages come to 100. */
  List<DemoPart<?>> parts() {
    return List.of(emails(), images(), charges(), reports());
  }

  List<DemoLimit> limits() {
    return List.of(cpu, charges, customers);
  }

  /** Done at once, under no limit. */
  private DemoPart<Email> emails() {
    var type = TaskType.of("send_email", Email.class).queue(queue);
    return new DemoPart<>(
        type,
        55,
        number -> new Email("customer-%d@example.org".formatted(number), "welcome"),
        worker -> worker.handle(type, (email, task) -> {}));
  }

  /** 5 to 50 ms, on the processors that reports need too. */
  private DemoPart<Image> images() {
    var type = TaskType.of("resize_image", Image.class).queue(queue).under(CPU);
    return new DemoPart<>(
        type,
        25,
        number -> new Image("photos/%d.jpg".formatted(number), 1 + number % 10),
        worker ->
            worker.handle(
                type,
                (image, task) -> {
                  try (var busy = cpu.enter()) {
                    Thread.sleep(5 * image.megabytes());
                  }
                }));
  }

  /**
   * 5 to 20 ms, with a result; the card processor allows so many calls at once. Every fifth order
   * meets a failure that is gone the next time.
   */
  private DemoPart<Order> charges() {
    var type =
        TaskType.of("charge_card", Order.class)
            .returning(Receipt.class)
            .queue(queue)
            .retry(SOON)
            .limit(CHARGES);
    return new DemoPart<>(
        type,
        15,
        number -> new Order(number, 990 + number % 100 * 10L),
        worker ->
            worker
                .answer(
                    type,
                    (order, task) -> {
                      try (var call = charges.enter()) {
                        Thread.sleep(5 + order.number() % 16);
                        if (order.number() % 5 == 0 && task.attempt() == 1) {
                          throw new IllegalStateException("The card processor did not answer");
                        }
                        return new Receipt(order.number(), "receipt-" + order.number());
                      }
                    })
                .logFailures(type, Level.DEBUG, Level.ERROR)); // they are meant
  }

  /** 21 to 32 ms, after everything else; on the processors, and one at a time for a customer. */
  private DemoPart<Report> reports() {
    var type =
        TaskType.of("build_report", Report.class)
            .queue(queue)
            .priority(2)
            .under(CPU)
            .limitPer("customer", Report::customer, REPORTS_PER_CUSTOMER);
    return new DemoPart<>(
        type,
        5,
        number -> new Report("customer-" + number % CUSTOMERS, 1 + number % 12),
        worker ->
            worker.handle(
                type,
                (report, task) -> {
                  try (var busy = cpu.enter();
                      var reading = customers.enter(report.customer())) {
                    Thread.sleep(20 + report.month());
                  }
                }));
  }
}
