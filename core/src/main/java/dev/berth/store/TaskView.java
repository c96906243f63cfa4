package dev.berth.store;

import dev.berth.task.TaskId;
import dev.berth.task.TaskState;
import java.time.Instant;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A task as it is now.
 *
 * @param attempt how many starts were spent
 * @param error of the last failed attempt, or the reason of a cancellation
 * @param result JSON, of a finished task with a result
 * @param worker who runs it
 * @param progress what the handler last said of itself
 * @param workflow which it is a step of, if any
 * @param step its name there
 */
public record TaskView(
    TaskId id,
    String type,
    String queue,
    int priority,
    TaskState state,
    Instant submittedAt,
    Instant dueAt,
    @Nullable Instant startedAt,
    @Nullable Instant endedAt,
    int attempt,
    int failures,
    int crashes,
    String payload,
    Map<String, String> metadata,
    @Nullable String result,
    @Nullable String error,
    @Nullable String worker,
    @Nullable String progress,
    @Nullable String workflow,
    @Nullable String step) {}
