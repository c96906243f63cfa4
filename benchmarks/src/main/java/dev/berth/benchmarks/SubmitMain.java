package dev.berth.benchmarks;

import dev.berth.Berth;
import dev.berth.postgres.PostgresOptions;
import dev.berth.postgres.PostgresStoreProvider;

/** A process that only submits. Arguments: wake-ups, warm-up, tasks, longest pause in ms. */
final class SubmitMain {

  private SubmitMain() {}

  public static void main(String[] arguments) throws InterruptedException {
    boolean wakeUps = Boolean.parseBoolean(arguments[0]);
    PostgresOptions options = new PostgresOptions(false, wakeUps);
    try (Berth berth = Berth.on(PostgresStoreProvider.open(ChildJvm.database(), options))) {
      Stamp.submit(
          berth,
          Integer.parseInt(arguments[1]),
          Integer.parseInt(arguments[2]),
          Long.parseLong(arguments[3]));
    }
  }
}
