package dev.berth.worker;

import dev.berth.store.Registration;
import dev.berth.store.Session;
import dev.berth.store.SessionRequest;
import dev.berth.store.Store;
import dev.berth.store.StoreException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The sessions of one worker, one after the other; the exchange loop opens and leaves them. */
final class Sessions {

  private static final Logger LOG = LoggerFactory.getLogger(Sessions.class);

  private final Store store;
  private final SessionRequest request;
  private final Signal exchange;
  private final Telemetry telemetry;
  private volatile @Nullable LiveSession current;

  Sessions(Store store, SessionRequest request, Signal exchange, Telemetry telemetry) {
    this.store = store;
    this.request = request;
    this.exchange = exchange;
    this.telemetry = telemetry;
  }

  String worker() {
    return request.worker();
  }

  /** The one in use, if any; it may be lost already. */
  @Nullable LiveSession current() {
    return current;
  }

  void open() {
    long sentAt = Ticks.now();
    Session opened = store.open(request);
    current = new LiveSession(opened, sentAt, this::lost);
    opened.differing().forEach(Sessions::log);
  }

  /** During a roll-out two versions of the code may disagree: whoever looks shall see who won. */
  private static void log(Registration said) {
    if (said.before() != null) {
      LOG.info(
          "Limit {}: {}, was {}; the newest registration counts",
          said.key(),
          slots(said.slots()),
          said.before());
    }
    if (said.byHand() != null) {
      LOG.info(
          "Limit {}: the code says {}, but it is overridden by hand with {}",
          said.key(),
          slots(said.slots()),
          slots(said.byHand()));
    }
  }

  private static String slots(@Nullable Integer count) {
    return count == null ? "no limit" : count == 1 ? "1 slot" : count + " slots";
  }

  /**
   * Nothing is left to hand in: what it still holds, handlers that were stopped too, goes back. One
   * that was lost expires by itself where the store cannot end it now, such as while somebody has
   * locked its row.
   */
  void leave(LiveSession session) {
    boolean live = session.live();
    session.leave();
    try {
      store.leave(session.id());
    } catch (StoreException e) {
      if (live || e.kind() != StoreException.Kind.UNAVAILABLE) {
        throw e;
      }
      LOG.info("A session that worker {} lost is left to expire: {}", worker(), e.getMessage());
    }
    current = null;
  }

  /** The store has ended it. */
  void gone() {
    current = null;
  }

  private void lost(String why) {
    LOG.warn("Worker {} lost its session and stopped its running tasks: {}", worker(), why);
    telemetry.sessionLost();
    exchange.raise();
  }
}
