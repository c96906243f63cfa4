package dev.berth.view;

import dev.berth.task.TaskState;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A workflow as a whole.
 *
 * @param step the one that is next or runs or, of a workflow that cannot go on, the one that is the
 *     cause; null where there is none
 * @param counts how many steps are in which state; none of a state that is not listed
 * @param steps in their order; of a long workflow the last {@value #MOST} that have ended and the
 *     next {@value #MOST} that have not
 */
public record WorkflowView(
    String name,
    State state,
    @Nullable String step,
    Map<TaskState, Long> counts,
    List<StepView> steps) {

  public static final int MOST = 500;

  private static final int LISTED = 10_000;

  public WorkflowView {
    counts = Map.copyOf(counts);
    steps = List.copyOf(steps);
  }

  /** Returns how many workflows a list is to show at most, or says what is wrong with it. */
  public static int checkListed(int most) {
    if (most < 1 || most > LISTED) {
      throw new IllegalArgumentException("A list shows 1 to " + LISTED + " workflows, not " + most);
    }
    return most;
  }

  /** How far a workflow is. */
  public enum State {
    /** It goes on by itself. */
    RUNNING,
    /** A step has failed or was cancelled: those after it wait until a person decides. */
    HALTED,
    /** All steps have ended, and nothing holds one that is appended. */
    FINISHED,
    /** A step has failed or was cancelled, and with it all those after it are. */
    FAILED,
    /** Someone cancelled the workflow. */
    CANCELLED
  }

  public long count(TaskState state) {
    return counts.getOrDefault(state, 0L);
  }

  /** How many steps there are. */
  public long size() {
    return counts.values().stream().mapToLong(Long::longValue).sum();
  }

  /** Counts from one number for each state, in the order of the states. */
  public static Map<TaskState, Long> counts(long... numbers) {
    Map<TaskState, Long> counts = new EnumMap<>(TaskState.class);
    for (TaskState state : TaskState.values()) {
      if (numbers[state.ordinal()] > 0) {
        counts.put(state, numbers[state.ordinal()]);
      }
    }
    return counts;
  }
}
