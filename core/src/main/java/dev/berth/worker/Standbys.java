package dev.berth.worker;

import static java.util.Objects.requireNonNull;

import dev.berth.store.Claim;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Keeps slots busy between exchanges. From the end of a short task until the store has named the
 * next one its slot would idle; so a worker claims some tasks of a lane beyond its slots there, and
 * when one ends the next takes its slot over at once, in this process. The store hears of it with
 * the outcome. A standby that could not start in time is released: a limit that is changed or
 * paused shall not be followed for longer, and another worker may have a free slot.
 */
final class Standbys {

  /** Where tasks are longer than this, an idle slot between two of them is no loss. */
  private static final double LONGEST_RUN = 100e6;

  private static final int MOST_PER_SLOT = 64;

  /** How much one run counts in the smoothed run time of its type. */
  private static final double WEIGHT = 0.2;

  /** What this worker has of the tasks of one type under the same limits. */
  private static final class Lane {
    int running;
    final Deque<Attempt> waiting = new ArrayDeque<>();

    /** Attempts that ended when nothing waited; until they are handed in their slots are ours. */
    final Deque<Attempt> idle = new ArrayDeque<>();
  }

  private record Key(String type, String lane) {
    /** Null for a task under no limit. */
    static @Nullable Key of(Attempt attempt) {
      Claim claim = attempt.claim();
      return claim.lane() == null ? null : new Key(claim.type(), claim.lane());
    }
  }

  private final Map<Key, Lane> lanes = new HashMap<>();
  private final Map<String, Double> runs = new HashMap<>();
  private int waiting;

  /** A task starts with slots of its own. */
  synchronized void started(Attempt attempt) {
    Key key = Key.of(attempt);
    if (key != null) {
      lane(key).running++;
    }
  }

  /**
   * A task to be started when another of its lane ends.
   *
   * @return whether it can start now, in the slot of one that has ended meanwhile
   */
  synchronized boolean add(Attempt standby) {
    Lane its = lane(requireNonNull(Key.of(standby)));
    Attempt before = its.idle.peek();
    if (before != null && follows(standby, before)) {
      its.idle.remove();
      standby.began(Ticks.now());
      before.heir(standby);
      its.running++;
      return true;
    }
    its.waiting.add(standby);
    waiting++;
    return false;
  }

  /**
   * An attempt has ended.
   *
   * @return who takes its slot over, if anybody
   */
  synchronized @Nullable Attempt after(Attempt ended, long ran) {
    Key key = Key.of(ended);
    if (key == null) {
      return null;
    }
    Lane its = lane(key);
    if (ended.outcome() != null) {
      runs.merge(ended.claim().type(), (double) ran, (mean, run) -> mean + WEIGHT * (run - mean));
      Attempt next = its.waiting.peek();
      if (next != null && follows(next, ended)) {
        its.waiting.remove();
        waiting--;
        next.began(Ticks.now());
        ended.heir(next);
        return next;
      }
      its.idle.add(ended);
    }
    its.running--;
    return null;
  }

  private static boolean follows(Attempt standby, Attempt ended) {
    return standby.session() == ended.session() && standby.startBy() > Ticks.now();
  }

  /**
   * These are handed in: if nobody has taken their slots over by now, the store shall have them.
   */
  synchronized void handingIn(Collection<Attempt> attempts) {
    for (Attempt attempt : attempts) {
      Key key = Key.of(attempt);
      Lane lane = key == null ? null : lanes.get(key);
      if (lane != null && attempt.heir() == null) {
        lane.idle.remove(attempt);
        if (empty(lane)) {
          lanes.remove(key);
        }
      }
    }
  }

  /**
   * How many more standbys to ask for, by one of the attempts of each lane that are handed in: as
   * many for each slot as could run until new ones are there.
   *
   * @param horizon how long that takes, in nanoseconds
   * @param most altogether
   */
  synchronized Map<Attempt, Integer> wanted(Collection<Attempt> handedIn, long horizon, int most) {
    Map<Key, List<Attempt>> byLane = new HashMap<>();
    for (Attempt attempt : handedIn) {
      Key key = Key.of(attempt);
      if (key != null && attempt.ran()) {
        byLane.computeIfAbsent(key, k -> new ArrayList<>()).add(attempt);
      }
    }
    Map<Attempt, Integer> wanted = new IdentityHashMap<>();
    int left = most;
    for (Map.Entry<Key, List<Attempt>> each : byLane.entrySet()) {
      Lane lane = lanes.get(each.getKey());
      long free = each.getValue().stream().filter(attempt -> attempt.heir() == null).count();
      long slots = free + (lane == null ? 0 : lane.running);
      long there = lane == null ? 0 : lane.waiting.size();
      long more = Math.min(slots * perSlot(each.getKey().type(), horizon) - there, left);
      if (more > 0) {
        wanted.put(each.getValue().getLast(), (int) more); // the furthest in the lane
        left -= (int) more;
      }
    }
    return wanted;
  }

  /**
   * How many standbys to ask for with each new slot, by type, where this is known from earlier
   * runs.
   *
   * @param horizon as above
   */
  synchronized Map<String, Integer> ahead(long horizon) {
    Map<String, Integer> ahead = new HashMap<>();
    for (String type : runs.keySet()) {
      int perSlot = (int) perSlot(type, horizon);
      if (perSlot > 0) {
        ahead.put(type, perSlot);
      }
    }
    return ahead;
  }

  private long perSlot(String type, long horizon) {
    Double run = runs.get(type);
    return run == null || run > LONGEST_RUN
        ? 0
        : Math.min(MOST_PER_SLOT, 1 + (long) (horizon / Math.max(1, run)));
  }

  /** Takes out those that must not start any more. */
  synchronized List<Attempt> withdraw(Predicate<Attempt> which) {
    List<Attempt> withdrawn = new ArrayList<>();
    if (waiting == 0) {
      return withdrawn;
    }
    for (Iterator<Map.Entry<Key, Lane>> all = lanes.entrySet().iterator(); all.hasNext(); ) {
      Lane lane = all.next().getValue();
      lane.waiting.removeIf(attempt -> which.test(attempt) && withdrawn.add(attempt));
      if (empty(lane)) {
        all.remove();
      }
    }
    waiting -= withdrawn.size();
    return withdrawn;
  }

  /** The tick by which the first of them is to be withdrawn. */
  synchronized long firstDeadline() {
    long first = Ticks.NEVER;
    if (waiting > 0) {
      for (Lane lane : lanes.values()) {
        Attempt oldest = lane.waiting.peek();
        first = oldest == null ? first : Math.min(first, oldest.startBy());
      }
    }
    return first;
  }

  private Lane lane(Key key) {
    return lanes.computeIfAbsent(key, k -> new Lane());
  }

  private static boolean empty(Lane lane) {
    return lane.running == 0 && lane.waiting.isEmpty() && lane.idle.isEmpty();
  }
}
