package dev.berth.worker;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * How a worker is, for probes and people.
 *
 * @param running from its start until somebody stops it
 * @param sinceExchange how long ago the store answered its last exchange; null: it never did
 * @param sinceHeartbeat how long ago the store answered its last heartbeat; null: it never did
 * @param exchanges how long exchanges took that were answered
 * @param heartbeats how long heartbeats took that were answered
 */
public record WorkerHealth(
    boolean running,
    @Nullable Duration sinceExchange,
    @Nullable Duration sinceHeartbeat,
    Times exchanges,
    Times heartbeats) {

  /** Percentiles since the start of the worker, at most a quarter too long; zero without calls. */
  public record Times(long count, Duration p50, Duration p95, Duration p99) {}
}
