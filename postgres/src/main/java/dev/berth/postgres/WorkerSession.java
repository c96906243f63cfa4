package dev.berth.postgres;

import dev.berth.store.SessionRequest;

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

  static WorkerSession of(long id, SessionRequest request, Database database) {
    return new WorkerSession(
        id, request, new ScanPlan(), new HeldConnection(database), new HeldConnection(database));
  }

  @Override
  public void close() {
    exchange.close();
    heartbeat.close();
  }
}
