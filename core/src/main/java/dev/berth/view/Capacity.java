package dev.berth.view;

/**
 * What a worker can take at the moment, for people who watch.
 *
 * @param memory the used part of its memory, from 0 to 1
 */
public record Capacity(int free, int max, double memory) {}
