package dev.berth.limit;

import dev.berth.value.Durations;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** The rule for the number of slots: 0 blocks, a million is more than any cluster runs. */
public final class Slots {

  public static final int MOST = 1_000_000;

  /** As that of a topic. */
  public static final Duration LONGEST_PACE = Duration.ofDays(1);

  private Slots() {}

  /** Returns the number, or says what is wrong with it. */
  public static int check(String limit, int slots) {
    if (slots < 0 || slots > MOST) {
      throw new IllegalArgumentException(
          "The limit " + limit + " cannot have " + slots + " slots: use 0 (blocks) to " + MOST);
    }
    return slots;
  }

  /** Returns the number of slots that one task takes, or says what is wrong with it. */
  public static int checkWeight(String limit, int weight) {
    if (weight < 1 || weight > MOST) {
      throw new IllegalArgumentException(
          "A task cannot take " + weight + " slots of the limit " + limit + ": use 1 to " + MOST);
    }
    return weight;
  }

  /** Says what is wrong with the least time between two starts; null: none. */
  public static void checkPace(String limit, @Nullable Duration pace) {
    if (pace != null) {
      Durations.checkPositive("The pace of the limit " + limit, pace);
      if (pace.compareTo(LONGEST_PACE) > 0) {
        throw new IllegalArgumentException(
            "The pace of the limit " + limit + " can be at most 1 day, not " + pace);
      }
    }
  }
}
