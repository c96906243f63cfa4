package dev.berth.view;

/**
 * How much is in a queue: waiting for its due time, a retry or the steps before it; ready to run;
 * running.
 */
public record QueueView(String queue, boolean paused, long waiting, long ready, long running) {}
