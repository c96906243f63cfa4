package dev.berth.postgres;

import dev.berth.store.Claim;
import dev.berth.store.Ended;
import dev.berth.store.SessionRequest;
import dev.berth.task.Outcome;
import dev.berth.task.Retention;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * How long the outcomes of a session are kept. An outcome names its task, not its type, so claims
 * are remembered until they end; not where all types are kept alike.
 */
final class Retentions {

  private final Map<String, Retention> byType = new HashMap<>();
  private final Map<Long, Retention> byToken = new HashMap<>();
  private final boolean alike;

  Retentions(List<SessionRequest.Handled> types) {
    types.forEach(type -> byType.put(type.type(), type.retention()));
    alike = byType.values().stream().distinct().count() <= 1;
  }

  synchronized void remember(Claim claim) {
    if (!alike) {
      byToken.put(claim.lease().token(), of(claim.type()));
    }
  }

  /** The days to keep an attempt that ended in this way. */
  synchronized int days(Ended ended) {
    Retention retention =
        alike ? any() : byToken.getOrDefault(ended.lease().token(), Retention.DEFAULT);
    return ended.outcome() instanceof Outcome.Finished
        ? retention.finishedDays()
        : retention.failedDays();
  }

  synchronized void forget(List<Ended> ended) {
    if (!alike) {
      ended.forEach(end -> byToken.remove(end.lease().token()));
    }
  }

  private Retention any() {
    return byType.values().stream().findFirst().orElse(Retention.DEFAULT);
  }

  private Retention of(String type) {
    return byType.getOrDefault(type, Retention.DEFAULT);
  }
}
