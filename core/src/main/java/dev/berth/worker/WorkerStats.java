package dev.berth.worker;

/**
 * What a worker has done since its start.
 *
 * @param inFlight tasks it has now: claimed, and their outcome not yet durable
 * @param claimed tasks taken
 * @param finished attempts recorded as finished
 * @param retried attempts recorded as failed, to be tried again
 * @param failed attempts recorded as failed for good
 * @param released tasks given back without spending an attempt
 * @param cancelled attempts recorded as cancelled
 * @param staleOutcomes outcomes refused because the lease had been taken away
 * @param exchanges exchanges that were answered
 * @param sessionsLost sessions that expired, with all tasks running under them
 * @param slotDrift counters of limits, in the whole store, that were not what running tasks hold
 *     when it was looked last, about a minute ago: it must be 0
 */
public record WorkerStats(
    int inFlight,
    long claimed,
    long finished,
    long retried,
    long failed,
    long released,
    long cancelled,
    long staleOutcomes,
    long exchanges,
    long sessionsLost,
    int slotDrift) {}
