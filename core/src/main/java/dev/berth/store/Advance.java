package dev.berth.store;

import dev.berth.value.Texts;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What is due of a schedule, and when it is due again.
 *
 * @param version the schedule as it was when it was found due
 * @param occurrences the times of the occurrences to submit, in order
 * @param catchingUp whether they were missed and are all made up for: then overlap does not count
 * @param next when it is due again; null where that cannot be said
 * @param error why not
 */
public record Advance(
    String schedule,
    long version,
    List<Instant> occurrences,
    boolean catchingUp,
    @Nullable Instant next,
    @Nullable String error) {

  public Advance {
    occurrences = List.copyOf(occurrences);
    error = error == null ? null : Texts.clean(error);
  }
}
