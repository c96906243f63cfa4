package dev.berth.view;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * One ended attempt.
 *
 * @param startedAt null where the task was cancelled before it ever started
 */
public record AttemptView(
    int attempt,
    Ending ending,
    @Nullable Instant startedAt,
    Instant endedAt,
    long token,
    @Nullable String worker,
    @Nullable String error) {

  /** How an attempt can end, crashes included. */
  public enum Ending {
    FINISHED,
    RETRYING,
    FAILED,
    RELEASED,
    CANCELLED,
    CRASHED
  }
}
