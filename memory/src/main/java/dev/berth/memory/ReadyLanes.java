package dev.berth.memory;

import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The ready tasks of one queue and priority. Lanes take turns: a lane that was served, or has just
 * got its first task, stands behind all others. The open lane takes no turns; its tasks go by their
 * position against the head of the lane whose turn it is.
 *
 * <p>Each type in a lane is a line of its own, so that a claim looks at no task of a foreign type,
 * and at a lane that is not admitted only once, however many tasks wait in it.
 */
final class ReadyLanes {

  /** Tasks promoted by one sweep became ready together: the one due first comes first. */
  static final Comparator<MemoryTask> POSITION =
      Comparator.comparing((MemoryTask task) -> task.readyAt)
          .thenComparing(MemoryTask::due)
          .thenComparing(MemoryTask::id);

  private final LaneTasks open = new LaneTasks(0);
  private final Map<String, LaneTasks> lanes = new HashMap<>();
  private final TreeMap<Long, LaneTasks> turns = new TreeMap<>();
  private long lastTurn;

  void add(MemoryTask task) {
    lane(task).add(task);
  }

  boolean remove(MemoryTask task) {
    if (task.submission.lane().open()) {
      return open.remove(task);
    }
    String name = task.submission.lane().name();
    LaneTasks lane = lanes.get(name);
    if (lane == null || !lane.remove(task)) {
      return false;
    }
    if (lane.isEmpty()) {
      lanes.remove(name);
      turns.remove(lane.turn);
    }
    return true;
  }

  /** One claim's way through the lanes. */
  Round round(List<String> types, Predicate<MemoryTask> admits) {
    return new Round(types, admits);
  }

  private LaneTasks lane(MemoryTask task) {
    return task.submission.lane().open()
        ? open
        : lanes.computeIfAbsent(task.submission.lane().name(), name -> newLane());
  }

  private LaneTasks newLane() {
    LaneTasks lane = new LaneTasks(++lastTurn);
    turns.put(lane.turn, lane);
    return lane;
  }

  private void served(LaneTasks lane) {
    if (turns.remove(lane.turn, lane)) {
      lane.turn = ++lastTurn;
      turns.put(lane.turn, lane);
    }
  }

  /**
   * Walks from turn to turn. A lane that is not admitted is not looked at again: a claim only takes
   * slots, so it stays so.
   */
  final class Round {
    private final List<String> types;
    private final Predicate<MemoryTask> admits;
    private long passed;

    private Round(List<String> types, Predicate<MemoryTask> admits) {
      this.types = types;
      this.admits = admits;
    }

    /** Takes the next task out of its line. */
    @Nullable MemoryTask next() {
      MemoryTask unlimited = open.first(types);
      LaneTasks lane = admitted();
      MemoryTask limited = lane == null ? null : lane.first(types);
      if (lane == null || limited == null) {
        return taken(unlimited);
      }
      if (unlimited != null && POSITION.compare(unlimited, limited) < 0) {
        return taken(unlimited);
      }
      remove(limited);
      served(lane);
      return limited;
    }

    private @Nullable MemoryTask taken(@Nullable MemoryTask unlimited) {
      if (unlimited != null) {
        open.remove(unlimited);
      }
      return unlimited;
    }

    private @Nullable LaneTasks admitted() {
      for (Map.Entry<Long, LaneTasks> turn = turns.higherEntry(passed);
          turn != null;
          turn = turns.higherEntry(passed)) {
        MemoryTask head = turn.getValue().first(types);
        if (head != null && admits.test(head)) {
          return turn.getValue();
        }
        passed = turn.getKey();
      }
      return null;
    }
  }

  /** The tasks of one lane, by type. */
  private static final class LaneTasks {
    private final Map<String, TreeSet<MemoryTask>> lines = new HashMap<>();
    private long turn;

    LaneTasks(long turn) {
      this.turn = turn;
    }

    void add(MemoryTask task) {
      lines.computeIfAbsent(task.submission.type(), type -> new TreeSet<>(POSITION)).add(task);
    }

    boolean remove(MemoryTask task) {
      TreeSet<MemoryTask> line = lines.get(task.submission.type());
      if (line == null || !line.remove(task)) {
        return false;
      }
      if (line.isEmpty()) {
        lines.remove(task.submission.type());
      }
      return true;
    }

    boolean isEmpty() {
      return lines.isEmpty();
    }

    @Nullable MemoryTask first(List<String> types) {
      return types.stream()
          .map(lines::get)
          .filter(Objects::nonNull)
          .map(TreeSet::first)
          .min(POSITION)
          .orElse(null);
    }
  }
}
