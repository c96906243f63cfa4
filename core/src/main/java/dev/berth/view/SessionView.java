package dev.berth.view;

import java.time.Instant;
import java.util.List;

/** A worker that is alive. */
public record SessionView(
    SessionId id,
    String worker,
    Instant openedAt,
    Instant expiresAt,
    Capacity capacity,
    List<String> queues,
    List<String> types,
    long running) {}
