package dev.berth.view;

import dev.berth.task.Counts;
import dev.berth.task.Place;
import dev.berth.task.TaskId;
import dev.berth.task.TaskState;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A task as it is now. */
public record TaskView(
    TaskId id,
    String type,
    Place place,
    TaskState state,
    Times times,
    Counts counts,
    Input input,
    Report report) {

  /**
   * What was submitted.
   *
   * @param name the text that its id was made from, if any
   * @param payload JSON
   * @param step its place in a workflow, if any
   */
  public record Input(
      @Nullable String name,
      String payload,
      Map<String, String> metadata,
      @Nullable StepName step) {}

  /** A step by its workflow and its name there. */
  public record StepName(String workflow, String name) {

    /** From two texts that are there together or not at all. */
    public static @Nullable StepName of(@Nullable String workflow, @Nullable String name) {
      return workflow == null || name == null ? null : new StepName(workflow, name);
    }
  }

  /**
   * What its attempts have said.
   *
   * @param worker who runs it
   * @param progress what the handler last said of itself
   * @param result JSON, of a finished task with a result
   * @param error of the last failed attempt, or the reason of a cancellation
   */
  public record Report(
      @Nullable String worker,
      @Nullable String progress,
      @Nullable String result,
      @Nullable String error) {}

  /** The queue it is in. */
  public String queue() {
    return place.queue();
  }

  /** Its payload, as JSON. */
  public String payload() {
    return input.payload();
  }

  /** Its result as JSON; null while it has not finished, and where its type has none. */
  public @Nullable String result() {
    return report.result();
  }

  /** Why it failed last, or why it was cancelled; null: neither. */
  public @Nullable String error() {
    return report.error();
  }
}
