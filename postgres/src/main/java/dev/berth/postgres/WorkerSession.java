package dev.berth.postgres;

import dev.berth.store.SessionRequest;
import java.time.Duration;

/**
 * What this process knows of a session it opened.
 *
 * <p>The exchange and the heartbeat each have a connection of their own, so that neither waits for
 * the other nor for the application at the pool.
 */
record WorkerSession(
    long id,
    SessionRequest request,
    ScanPlan plan,
    HeldConnection exchange,
    HeldConnection heartbeat)
    implements AutoCloseable {

  private static final Duration LEAST_FOR_EXCHANGE = Duration.ofSeconds(5);
  private static final Duration LEAST_FOR_HEARTBEAT = Duration.ofSeconds(1);

  /** A heartbeat that gets no answer is given up early enough for another one within the lease. */
  static WorkerSession of(long id, SessionRequest request, Database database) {
    Duration lease = request.lease();
    return new WorkerSession(
        id,
        request,
        new ScanPlan(),
        new HeldConnection(database, longer(lease.dividedBy(2), LEAST_FOR_EXCHANGE)),
        new HeldConnection(database, longer(lease.dividedBy(3), LEAST_FOR_HEARTBEAT)));
  }

  private static Duration longer(Duration one, Duration other) {
    return one.compareTo(other) > 0 ? one : other;
  }

  @Override
  public void close() {
    exchange.close();
    heartbeat.close();
  }
}
