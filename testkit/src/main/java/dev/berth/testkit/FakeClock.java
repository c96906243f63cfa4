package dev.berth.testkit;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.concurrent.atomic.AtomicReference;

/** A clock that stands still until it is moved. */
public final class FakeClock implements InstantSource {

  private final AtomicReference<Instant> now;

  public FakeClock(Instant start) {
    this.now = new AtomicReference<>(start);
  }

  /** A clock that shows the first instant of 2030. */
  public FakeClock() {
    this(Instant.parse("2030-01-01T00:00:00Z"));
  }

  @Override
  public Instant instant() {
    return now.get();
  }

  public void advance(Duration by) {
    now.updateAndGet(instant -> instant.plus(by));
  }
}
