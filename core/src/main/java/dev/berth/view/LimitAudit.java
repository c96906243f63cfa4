package dev.berth.view;

import dev.berth.limit.LimitKey;
import java.time.Instant;
import java.util.Comparator;
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
 * @param forgiven how many starts were over the number in force and are no excess, because it had
 *     been lowered less than a second before
 */
public record LimitAudit(
    LimitKey key, int peak, @Nullable Integer slots, Instant at, boolean over, int forgiven) {

  /** Any excess is worse than none, then the larger one, then the higher peak. */
  public static final Comparator<LimitAudit> WORST_FIRST =
      Comparator.comparingInt(LimitAudit::excess)
          .thenComparingInt(LimitAudit::peak)
          .reversed()
          .thenComparing(LimitAudit::key);

  /** Nothing was forgiven. */
  public LimitAudit(LimitKey key, int peak, @Nullable Integer slots, Instant at, boolean over) {
    this(key, peak, slots, at, over, 0);
  }

  private int excess() {
    return slots == null || !over ? 0 : peak - slots;
  }
}
