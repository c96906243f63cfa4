package dev.berth.postgres;

import dev.berth.store.Ended;
import dev.berth.store.ExchangeRequest;
import dev.berth.store.Lease;
import dev.berth.store.SessionRequest;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;

/**
 * What this process knows of a session it opened.
 *
 * <p>Exchange, hand-in and heartbeat each have a connection of their own, so that none waits for
 * another nor for the application at the pool.
 */
final class WorkerSession implements AutoCloseable {

  private static final Duration LEAST_FOR_EXCHANGE = Duration.ofSeconds(5);
  private static final Duration LEAST_FOR_HEARTBEAT = Duration.ofSeconds(1);

  /** From so many outcomes on a second transaction costs less than it saves. */
  static final int MANY = 200;

  private final long id;
  private final UUID proof;
  private final SessionRequest request;
  private final ScanPlan plan = new ScanPlan();
  private final LimitedClaims limited = new LimitedClaims();
  private final HeldConnection exchange;
  private final HeldConnection handIn;
  private final HeldConnection heartbeat;

  /** Outcomes that were put aside: somebody else has locked what they need. */
  private final Set<Lease> aside = ConcurrentHashMap.newKeySet();

  private volatile boolean locked;

  private long halvedNumber;
  private boolean halved;

  /** A heartbeat that gets no answer is given up early enough for another one within the lease. */
  WorkerSession(Sessions.Opened opened, SessionRequest request, Database database) {
    this.id = opened.id();
    this.proof = opened.proof();
    this.request = request;
    Duration lease = request.lease();
    Duration longest = longer(lease.dividedBy(2), LEAST_FOR_EXCHANGE);
    this.exchange = new HeldConnection(database, longest);
    this.handIn = new HeldConnection(database, longest);
    this.heartbeat = new HeldConnection(database, longer(lease.dividedBy(3), LEAST_FOR_HEARTBEAT));
  }

  long id() {
    return id;
  }

  /** Shows that this session is ours: ids come again after a restore. */
  UUID proof() {
    return proof;
  }

  SessionRequest request() {
    return request;
  }

  ScanPlan plan() {
    return plan;
  }

  LimitedClaims limited() {
    return limited;
  }

  HeldConnection exchange() {
    return exchange;
  }

  HeldConnection handIn() {
    return handIn;
  }

  HeldConnection heartbeat() {
    return heartbeat;
  }

  /** Whether somebody else has locked what outcomes need, so that these are put aside. */
  boolean careful() {
    return locked || !aside.isEmpty();
  }

  /** An exchange has met a lock. */
  void locked() {
    locked = true;
  }

  /** An exchange has taken place; those put aside before, which it did not carry, still are. */
  void handedIn(List<Ended> ended, List<Lease> putAside) {
    if (careful()) {
      ended.forEach(each -> aside.remove(each.lease()));
      aside.addAll(putAside);
      locked = false;
    }
  }

  /**
   * Whether to send this exchange in two halves: if it has much to do in both, and no slots to hand
   * on from one to the other. A repeat must go as the first try went.
   */
  synchronized boolean halves(ExchangeRequest exchange) {
    if (exchange.number() != halvedNumber) {
      halvedNumber = exchange.number();
      halved =
          !careful() // the half that claims would not know what the other puts aside
              && exchange.ended().size() >= MANY
              && exchange.claims() >= MANY
              && exchange.queues().stream().noneMatch(plan::hasLanes);
    }
    return halved;
  }

  private static Duration longer(Duration one, Duration other) {
    return one.compareTo(other) > 0 ? one : other;
  }

  @Override
  public void close() {
    exchange.close();
    handIn.close();
    heartbeat.close();
  }
}
