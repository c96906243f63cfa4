package dev.berth.store;

import dev.berth.task.Outcome;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * An attempt that is over, on its way into the store.
 *
 * <p>Tasks of one lane may have run here one after the other in the same slots, the first of them
 * with its own, the others as standbys.
 *
 * @param began how long ago a standby began; null: it had slots of its own
 * @param passed how long ago it ended, if a standby went on in its slots; null: it ends now
 * @param heir the standby that runs in them now; null: they are free
 * @param standbys how many more standbys of its lane are wanted; a store may give fewer or none
 */
public record Ended(
    Lease lease,
    Outcome outcome,
    @Nullable Duration began,
    @Nullable Duration passed,
    @Nullable Heir heir,
    int standbys) {

  /** A standby that runs, since so long ago. */
  public record Heir(Lease lease, Duration began) {}

  /** Its slots, if it had any, are free. */
  public Ended(Lease lease, Outcome outcome) {
    this(lease, outcome, null, null, null, 0);
  }
}
