package dev.berth.cli;

import java.io.PrintWriter;
import java.time.Duration;

/** A line about every second, for logs and pipes. */
final class PlainProgress implements DemoProgress {

  private static final Duration EVERY = Duration.ofSeconds(1);

  private final PrintWriter out;
  private Duration next = EVERY;

  PlainProgress(PrintWriter out) {
    this.out = out;
  }

  @Override
  public void show(DemoSnapshot now) {
    if (now.since().compareTo(next) >= 0) {
      print(now);
      next = now.since().plus(EVERY);
    }
  }

  @Override
  public void last(DemoSnapshot end) {
    print(end);
  }

  @Override
  public void close() {}

  private void print(DemoSnapshot now) {
    out.printf(
        "%s: %s of %s finished, %s a second, %s in flight, %s%n",
        Text.duration(now.since()),
        Text.count(now.finished()),
        Text.count(now.tasks()),
        Text.count(Math.round(now.rate())),
        Text.count(now.stats().inFlight()),
        now.stats().retried() == 1 ? "1 retry" : Text.count(now.stats().retried()) + " retries");
    out.flush();
  }
}
