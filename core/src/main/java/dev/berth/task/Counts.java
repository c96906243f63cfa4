package dev.berth.task;

/**
 * What a task has spent.
 *
 * @param attempt how many starts; of a running task also which one this is. Released attempts do
 *     not count
 * @param failures how often it has failed
 * @param crashes how many attempts were lost with their worker
 */
public record Counts(int attempt, int failures, int crashes) {}
