package dev.berth.store;

import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A task taken for exclusive running.
 *
 * @param attempt which start this is, from 1; released attempts do not count
 * @param failures how often the task has failed so far
 * @param crashes how many attempts were lost with their worker
 * @param lane tasks of one type with the same lane hold the same slots; null: under no limit
 * @param standby it holds no slots: the session may start it when another task of its type and lane
 *     has ended here, and must say so, see {@link Ended}; or release it
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
    @Nullable Instant dueAt,
    @Nullable String lane,
    boolean standby) {

  /** How long after the exchange that granted it a standby may start. */
  public static final Duration STANDBY_STARTS_WITHIN = Duration.ofMillis(400);

  public Claim {
    failures = Math.clamp(failures, 0, Integer.MAX_VALUE - 1); // one more is a number, too
    metadata = Map.copyOf(metadata);
  }

  /** The same, for an answer to {@link ExchangeRequest#unread}. */
  public Claim withoutPayload() {
    return new Claim(
        lease,
        type,
        queue,
        priority,
        "",
        Map.of(),
        attempt,
        failures,
        crashes,
        submittedAt,
        dueAt,
        lane,
        standby);
  }

  /** About how much room its payload and metadata take. */
  public long size() {
    long size = payload.length();
    for (Map.Entry<String, String> pair : metadata.entrySet()) {
      size += pair.getKey().length() + pair.getValue().length();
    }
    return size;
  }
}
