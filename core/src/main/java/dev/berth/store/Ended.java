package dev.berth.store;

import dev.berth.task.Outcome;

/** An attempt that is over, on its way into the store. */
public record Ended(Lease lease, Outcome outcome) {}
