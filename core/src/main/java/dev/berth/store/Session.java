package dev.berth.store;

import java.time.Duration;

/**
 * An open session.
 *
 * @param lease how long it lives after each heartbeat
 */
public record Session(SessionId id, Duration lease) {}
