package dev.berth.worker;

import dev.berth.store.Store;
import dev.berth.view.Drift;
import java.time.Duration;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks at the first sweep and then about once a minute whether the counters of limits are what
 * running tasks hold, so that whoever asks for the number need not make the store count.
 */
final class DriftWatch {

  private static final Logger LOG = LoggerFactory.getLogger(DriftWatch.class);
  private static final Duration INTERVAL = Duration.ofMinutes(1);

  private final Store store;
  private final Telemetry telemetry;
  private long nextAt;

  DriftWatch(Store store, Telemetry telemetry) {
    this.store = store;
    this.telemetry = telemetry;
  }

  void look() {
    if (Ticks.now() < nextAt) {
      return;
    }
    nextAt = Ticks.after(INTERVAL);
    List<Drift> drift = store.reader().drift();
    telemetry.drift(drift.size());
    if (!drift.isEmpty()) {
      LOG.warn(
          "{} counters of limits are not what running tasks hold, such as {}: 'berth doctor' shows"
              + " them, 'berth doctor --fix' counts anew",
          drift.size(),
          drift.getFirst());
    }
  }
}
