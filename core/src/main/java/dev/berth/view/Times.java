package dev.berth.view;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * When what happened to a task.
 *
 * @param due the earliest time it may start; of a retry, the time of that
 * @param started when its last attempt began; null: it never ran
 * @param ended when the task was over; null: it is not
 */
public record Times(
    Instant submitted, Instant due, @Nullable Instant started, @Nullable Instant ended) {}
