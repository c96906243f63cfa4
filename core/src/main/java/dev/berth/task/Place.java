package dev.berth.task;

/** Where a task waits: in a queue, with a priority. */
public record Place(String queue, int priority) {}
