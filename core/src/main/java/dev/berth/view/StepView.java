package dev.berth.view;

import dev.berth.task.TaskId;
import dev.berth.task.TaskState;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A step of a workflow as it is now. What has ended is known for as long as the workflow is, also
 * where its type keeps no history.
 *
 * @param skipped whether the workflow goes on although the step has not finished
 * @param result JSON, of a finished step with a result
 * @param error of the last failed attempt, or the reason of a cancellation
 */
public record StepView(
    String name,
    TaskId task,
    String type,
    TaskState state,
    boolean skipped,
    @Nullable Instant endedAt,
    @Nullable String result,
    @Nullable String error) {}
