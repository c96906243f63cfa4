package dev.berth.task;

/** Few levels, so that a claim can look at each of them. */
public final class Priorities {

  public static final int LOWEST = 0;
  public static final int HIGHEST = 9;

  private Priorities() {}

  /** Returns the level, or says what is wrong with it. */
  public static int check(int level) {
    if (level < LOWEST || level > HIGHEST) {
      throw new IllegalArgumentException(
          "Priority "
              + level
              + " is out of range: use "
              + LOWEST
              + " (last) to "
              + HIGHEST
              + " (first)");
    }
    return level;
  }
}
