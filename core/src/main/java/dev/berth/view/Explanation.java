package dev.berth.view;

import dev.berth.limit.LimitKey;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Why a task is where it is. */
public sealed interface Explanation {

  TaskView task();

  /**
   * It does not run.
   *
   * @param obstacles what keeps it from starting; none: it waits for the next claim of a worker
   * @param place its place in line; null where it is not in line, since it is or was due later
   * @param estimate how long until it starts, if its line goes on moving as it did of late; null
   *     where nothing is known of that, or an obstacle does not go away by itself
   */
  record Waiting(
      TaskView task, List<Obstacle> obstacles, @Nullable Line line, @Nullable Duration estimate)
      implements Explanation {

    public Waiting {
      obstacles = List.copyOf(obstacles);
    }

    /**
     * Estimates from the last ends of its line: somebody starts when a slot comes back.
     *
     * @param ends how many there were of late
     * @param since when the first of them was
     */
    public static Waiting of(
        TaskView task, List<Obstacle> obstacles, @Nullable Line line, long ends, Duration since) {
      boolean moves = ends > 1 && since.isPositive();
      boolean passes = obstacles.stream().allMatch(Obstacle::passes);
      return new Waiting(
          task,
          obstacles,
          line,
          line == null || line.more() || !moves || !passes
              ? null
              : since.multipliedBy(line.ahead() + 1).dividedBy(ends));
    }
  }

  /**
   * It runs; the task says since when and on which worker.
   *
   * @param held its slots
   */
  record Running(TaskView task, SessionId session, List<Held> held) implements Explanation {

    public Running {
      held = List.copyOf(held);
    }
  }

  /** It has ended; the task says how. */
  record Ended(TaskView task) implements Explanation {}

  /**
   * How many tasks stand before one in its line: the ready tasks of its queue and, under limits, of
   * its type and lane, with a higher priority, or the same and an earlier position.
   *
   * @param more whether there are more than that; {@value #MOST} are counted
   */
  record Line(int ahead, boolean more) {

    public static final int MOST = 10_000;

    /** From a count that went no further than one more than {@link #MOST}. */
    public static Line of(long counted) {
      return new Line((int) Math.min(counted, MOST), counted > MOST);
    }
  }

  /**
   * Slots of a limit.
   *
   * @param group the slot group they are of
   */
  record Held(LimitKey key, int group, int slots) {}
}
