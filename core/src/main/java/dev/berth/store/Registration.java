package dev.berth.store;

import dev.berth.limit.LimitKey;
import org.jspecify.annotations.Nullable;

/**
 * What a worker said of a limit when it opened its session, where that is not what was there.
 *
 * @param slots how many slots its code says; null: it has the limit no more
 * @param before how many other code had said last; null: none, or as many
 * @param byHand how many a person has set, which counts before any code; null: none
 */
public record Registration(
    LimitKey key, @Nullable Integer slots, @Nullable Integer before, @Nullable Integer byHand) {}
