package dev.berth.store;

import dev.berth.task.TaskId;

/**
 * Fenced ownership of one claimed task.
 *
 * @param token unique to this claim and higher than that of any earlier claim of the task
 */
public record Lease(TaskId task, long token) {}
