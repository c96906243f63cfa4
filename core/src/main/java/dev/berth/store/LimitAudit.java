package dev.berth.store;

import dev.berth.limit.LimitKey;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * What the history says of a limit: the start that brought it furthest over its number or, where
 * none did, to its peak.
 *
 * @param peak how many slots the tasks took that ran at that moment
 * @param slots the number in force at that moment; null: none
 * @param at the moment
 * @param over whether a task started although that was more than the number in force. That more
 *     runs than a number which was lowered meanwhile is no excess: it drains. Nor is a start in an
 *     exchange that was under way at that moment
 */
public record LimitAudit(
    LimitKey key, int peak, @Nullable Integer slots, Instant at, boolean over) {}
