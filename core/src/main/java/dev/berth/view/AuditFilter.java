package dev.berth.view;

import dev.berth.limit.LimitKey;
import dev.berth.task.Due;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * What to audit.
 *
 * @param key one limit, or all keys of a rule; null: all
 * @param from leaves out attempts that ended before; null: all that the history still has
 */
public record AuditFilter(@Nullable LimitKey key, @Nullable Instant from) {

  private static final Instant FIRST = Instant.parse("0001-01-01T00:00:00Z");

  public AuditFilter {
    if (from != null && (from.isBefore(FIRST) || from.isAfter(Due.LATEST))) {
      throw new IllegalArgumentException(
          "An audit can look from %s to %s, but not from %s".formatted(FIRST, Due.LATEST, from));
    }
  }

  public static final AuditFilter ALL = new AuditFilter(null, null);

  public AuditFilter key(LimitKey only) {
    return new AuditFilter(only, from);
  }

  public AuditFilter from(Instant earliest) {
    return new AuditFilter(key, earliest);
  }
}
