package dev.berth.worker;

import dev.berth.store.StoreException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tries of one call that fail in a row. Says so once when it begins and once when it is over, and
 * how long to wait between tries.
 */
final class Outage {

  private static final Logger LOG = LoggerFactory.getLogger(Outage.class);

  private final String what;
  private final boolean quiet;
  private int failures;
  private long began;
  private long retryAt;
  private boolean told;

  private Outage(String what, boolean quiet) {
    this.what = what;
    this.quiet = quiet;
  }

  /**
   * @param what such as "worker a cannot exchange"
   */
  static Outage of(String what) {
    return new Outage(what, false);
  }

  /** For a call beside the exchange, which speaks for all when the store cannot be reached. */
  static Outage quiet(String what) {
    return new Outage(what, true);
  }

  /** How many nanoseconds are left until the next try. */
  long pause() {
    return failures == 0 ? 0 : retryAt - Ticks.now();
  }

  void failed(RuntimeException e) {
    long now = Ticks.now();
    if (failures++ == 0) {
      began = now;
      told = tell(e);
    }
    retryAt = Ticks.plus(now, Backoff.afterFailures(failures, ThreadLocalRandom.current()));
  }

  void over() {
    if (failures > 0) {
      failures = 0;
      long seconds = TimeUnit.NANOSECONDS.toSeconds(Ticks.now() - began);
      if (told) {
        LOG.info("Over after {} s: {}", seconds, what);
      }
    }
  }

  private boolean tell(RuntimeException e) {
    if (!(e instanceof StoreException known)) {
      LOG.error("Trying again after an unexpected failure: {}", what, e);
      return true;
    }
    if (quiet && known.kind() == StoreException.Kind.UNAVAILABLE) {
      return false;
    }
    LOG.warn("Trying again until it works: {} ({}): {}", what, known.kind(), known.getMessage());
    return true;
  }
}
