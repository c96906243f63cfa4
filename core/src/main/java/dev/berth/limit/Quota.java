package dev.berth.limit;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.Collection;
import java.util.Comparator;
import java.util.List;

/**
 * A cap on tasks that are pending or running, checked at submit. A task counts from its submit
 * until it has ended for good; its retries are part of that.
 *
 * @param key as that of a limit, but the two are counted apart
 * @param most how many there may be; 0 refuses all, so there is nothing to choose when it is full
 */
public record Quota(LimitKey key, int most, WhenFull whenFull) {

  /** More than that is no quota. */
  public static final int MOST = 1_000_000;

  private static final int MOST_KEYS = 20;
  private static final int MOST_BYTES = 2_600;

  /** What changes least comes first; among equals the quota that the fewest tasks share. */
  private static final Comparator<Quota> ORDER =
      Comparator.comparing(Quota::whenFull)
          .thenComparing(Comparator.comparing(Quota::key).reversed());

  public Quota {
    check(key, most);
    whenFull = most == 0 ? WhenFull.REFUSE : whenFull;
  }

  /** Returns the number, or says what is wrong with it. */
  public static int check(LimitKey key, int most) {
    if (most < 0 || most > MOST) {
      throw new IllegalArgumentException(
          "The quota " + key + " cannot be " + most + ": use 0 (refuses all) to " + MOST);
    }
    return most;
  }

  /** What one task may be counted under: each key has a row and a lock. */
  public static void checkKeys(String type, Collection<Quota> quotas) {
    if (quotas.size() > MOST_KEYS) {
      throw new IllegalArgumentException(
          "A task of type \"%.40s\" is under %d quotas; at most %d are allowed"
              .formatted(type, quotas.size(), MOST_KEYS));
    }
    int bytes = quotas.stream().mapToInt(quota -> quota.key().value().getBytes(UTF_8).length).sum();
    if (bytes > MOST_BYTES) {
      throw new IllegalArgumentException(
          "A task of type \"%.40s\" has too long keys of quotas: they take %d bytes, at most %d are allowed"
              .formatted(type, bytes, MOST_BYTES));
    }
  }

  /** The quotas of one task in the order in which they decide when several are full. */
  public static List<Quota> inOrder(Collection<Quota> quotas) {
    List<Quota> ordered = quotas.stream().sorted(ORDER).toList();
    if (ordered.stream().map(Quota::key).distinct().count() < ordered.size()) {
      throw new IllegalArgumentException(
          "A task can be under a quota only once, but was given "
              + String.join(", ", ordered.stream().map(quota -> quota.key().value()).toList()));
    }
    return ordered;
  }
}
