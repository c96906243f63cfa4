package dev.berth.store;

import dev.berth.schedule.Missed;
import dev.berth.schedule.Timing;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A schedule that a sweep found to be due, or whose next time nobody has told the store so far:
 * only Java can. Whoever sweeps hands {@link #advance} to the store; of many who do, one succeeds.
 *
 * @param version changes with every change of the schedule
 * @param anchor from which a fixed rate is counted
 * @param since where there is no next time: occurrences after this time count
 * @param next the time it is due for; null: to be found
 * @param now the time of the sweep
 */
public record DueSchedule(
    String name,
    long version,
    Timing timing,
    Missed missed,
    Instant anchor,
    Instant since,
    @Nullable Instant next,
    Instant now) {

  /** How many missed occurrences are submitted at once; those that are left come right after. */
  public static final int MOST = 1_000;

  /** What is to be submitted now, and when the schedule is due again. */
  public Advance advance() {
    try {
      if (next == null) {
        return new Advance(name, version, List.of(), false, after(since), null);
      }
      List<Instant> occurrences =
          switch (missed) {
            case ONCE -> List.of(latest(next));
            case NONE -> onTime(next);
            case ALL -> all(next);
          };
      boolean catchingUp = occurrences.size() > 1;
      Instant then = missed == Missed.ALL ? after(occurrences.getLast()) : after(now);
      return new Advance(name, version, occurrences, catchingUp, then, null);
    } catch (IllegalArgumentException e) {
      return new Advance(name, version, List.of(), false, null, e.getMessage());
    }
  }

  /** The last occurrence that is not later than now, found by halves: there may be millions. */
  private Instant latest(Instant first) {
    Instant low = first;
    Instant high = now;
    while (!after(low).isAfter(now)) {
      Instant middle = low.plus(Duration.between(low, high).dividedBy(2));
      Instant next = after(middle);
      if (next.isAfter(now)) {
        high = middle;
      } else {
        low = next;
      }
    }
    return low;
  }

  private List<Instant> onTime(Instant first) {
    Instant earliest = now.minus(Missed.GRACE);
    Instant last = latest(first);
    return last.isBefore(earliest) ? List.of() : List.of(last);
  }

  /** Never leaves one: with no other beside it, it would not be made up for but overlap. */
  private List<Instant> all(Instant first) {
    List<Instant> all = new ArrayList<>();
    Instant each = first;
    while (!each.isAfter(now) && all.size() < MOST + 2) {
      all.add(each);
      each = after(each);
    }
    return all.size() > MOST ? all.subList(0, all.size() - 2) : all;
  }

  private Instant after(Instant time) {
    return timing.after(time, anchor);
  }
}
