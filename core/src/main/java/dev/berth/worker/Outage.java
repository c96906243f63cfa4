package dev.berth.worker;

import dev.berth.store.StoreException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Tries in a row that failed: says so once when it begins and once when it is over. */
final class Outage {

  private static final Logger LOG = LoggerFactory.getLogger(Outage.class);

  private final String worker;
  private int failures;
  private long began;
  private long retryAt;

  Outage(String worker) {
    this.worker = worker;
  }

  /** How many nanoseconds are left until the next try. */
  long pause() {
    return failures == 0 ? 0 : retryAt - Ticks.now();
  }

  void failed(RuntimeException e) {
    if (failures++ == 0) {
      began = Ticks.now();
      tell(e);
    }
    retryAt = Ticks.plus(Ticks.now(), Backoff.afterFailures(failures, ThreadLocalRandom.current()));
  }

  void over() {
    if (failures > 0) {
      long seconds = TimeUnit.NANOSECONDS.toSeconds(Ticks.now() - began);
      LOG.info("Worker {}: the store answers again after {} s", worker, seconds);
      failures = 0;
    }
  }

  private void tell(RuntimeException e) {
    if (e instanceof StoreException known) {
      LOG.warn(
          "Worker {}: the store does not answer as it should ({}); trying again until it does: {}",
          worker,
          known.kind(),
          known.getMessage());
    } else {
      LOG.error("Worker {}: the store failed unexpectedly; trying again", worker, e);
    }
  }
}
