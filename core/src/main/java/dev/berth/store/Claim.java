package dev.berth.store;

import java.time.Instant;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A task taken for exclusive running.
 *
 * @param attempt which start this is, from 1; released attempts do not count
 * @param failures how often the task has failed so far
 * @param crashes how many attempts were lost with their worker
 */
public record Claim(
    Lease lease,
    String type,
    String queue,
    int priority,
    String payload,
    Map<String, String> metadata,
    int attempt,
    int failures,
    int crashes,
    Instant submittedAt,
    @Nullable Instant dueAt) {

  public Claim {
    metadata = Map.copyOf(metadata);
  }
}
