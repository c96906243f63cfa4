package dev.berth.cli;

import java.io.PrintWriter;
import java.time.Duration;

/** Two lines on a terminal, drawn over and over: a bar, and what is going on. */
final class LiveProgress implements DemoProgress {

  private static final Duration EVERY = Duration.ofMillis(80);
  private static final int WIDEST_BAR = 50;
  private static final String ERASE_LINE = "\r\033[2K";
  private static final String UP = "\033[1A";

  private final PrintWriter out;
  private final Terminal terminal;
  private Duration next = Duration.ZERO;
  private boolean drawn;

  LiveProgress(PrintWriter out, Terminal terminal) {
    this.out = out;
    this.terminal = terminal;
  }

  @Override
  public void show(DemoSnapshot now) {
    if (now.since().compareTo(next) >= 0) {
      draw(now);
      next = now.since().plus(EVERY);
    }
  }

  @Override
  public void last(DemoSnapshot end) {
    draw(end);
  }

  @Override
  public void close() {
    if (drawn) {
      drawn = false;
      out.println();
      out.flush();
    }
  }

  private void draw(DemoSnapshot now) {
    if (drawn) {
      out.print(ERASE_LINE + UP + ERASE_LINE);
    }
    out.println(fitting(bar(now)));
    out.print(fitting(counts(now)));
    out.flush();
    drawn = true;
  }

  private String bar(DemoSnapshot now) {
    String count = "%s of %s".formatted(Text.count(now.finished()), Text.count(now.tasks()));
    int width = Math.clamp(terminal.columns() - 30L, 10, WIDEST_BAR);
    int full = Math.toIntExact(now.finished() * width / now.tasks());
    long percent = now.finished() * 100 / now.tasks();
    return terminal.bar(full, width - full) + " %3d %%  %s".formatted(percent, count);
  }

  private static String counts(DemoSnapshot now) {
    return "%s/s   in flight %s   retries %s   %s"
        .formatted(
            Text.count(Math.round(now.rate())),
            Text.count(now.stats().inFlight()),
            Text.count(now.stats().retried()),
            Text.duration(now.since()));
  }

  /** A line that wraps could not be drawn over. */
  private String fitting(String line) {
    return line.length() < terminal.columns() ? line : line.substring(0, terminal.columns() - 1);
  }
}
