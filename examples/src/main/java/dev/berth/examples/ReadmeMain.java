package dev.berth.examples;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;

import dev.berth.Berth;
import dev.berth.embedded.LocalPostgres;
import dev.berth.task.Retry;
import dev.berth.task.TaskType;

/** The example of the README, on a PostgreSQL of its own. */
public final class ReadmeMain {

  record Email(String to, String subject) {}

  record Order(int number, long cents) {}

  record Receipt(String reference) {}

  private ReadmeMain() {}

  public static void main(String[] arguments) throws Exception {
    try (var server = LocalPostgres.start()) {
      run(server.jdbcUrl());
    }
  }

  private static void run(String url) throws InterruptedException {
    var sendEmail = TaskType.of("send_email", Email.class).retry(Retry.attempts(3));
    var charge = TaskType.of("charge", Order.class).returning(Receipt.class).timeout(ofSeconds(30));

    try (var berth = Berth.open(url); // postgres://user:password@host/database
        var worker =
            berth
                .worker()
                .handle(sendEmail, (email, task) -> System.out.println("To " + email.to()))
                .answer(charge, (order, task) -> new Receipt("receipt-" + order.number()))
                .start()) {
      var paid = berth.submit(charge, new Order(42, 990), o -> o.id("order-42").priority(9));
      Receipt receipt = berth.await(charge, paid, ofSeconds(30));
      System.out.println("Charged: " + receipt);

      var email = new Email("ada@example.org", "Your order");
      var sent = berth.submit(sendEmail, email, o -> o.delay(ofMillis(500)));
      berth.await(sendEmail, sent, ofSeconds(30));
    }
  }
}
