package dev.berth.testkit;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;

/** A clock that stands still until it is moved. */
public final class FakeClock implements InstantSource {

  private volatile Instant now;

  public FakeClock(Instant start) {
    this.now = start;
  }

  /** A clock that shows the first instant of 2030. */
  public FakeClock() {
    this(Instant.parse("2030-01-01T00:00:00Z"));
  }

  @Override
  public Instant instant() {
    return now;
  }

  public synchronized void advance(Duration by) {
    now = now.plus(by);
  }
}
