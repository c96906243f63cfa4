package dev.berth.task;

/**
 * How many days ended tasks are kept in the history; 0 keeps none of them.
 *
 * @param finishedDays for tasks that finished or were cancelled
 * @param failedDays for tasks that failed for good
 */
public record Retention(int finishedDays, int failedDays) {

  public static final Retention DEFAULT = new Retention(7, 30);

  /** Ended tasks leave no trace; an own id is then idempotent only while the task is alive. */
  public static final Retention NONE = new Retention(0, 0);

  private static final int LONGEST = 3650;

  public Retention {
    check(finishedDays);
    check(failedDays);
  }

  public static Retention days(int finished, int failed) {
    return new Retention(finished, failed);
  }

  /** The days for a task that ended in this way. */
  public int daysAfter(Outcome outcome) {
    return outcome instanceof Outcome.Failed ? failedDays : finishedDays;
  }

  private static void check(int days) {
    if (days < 0 || days > LONGEST) {
      throw new IllegalArgumentException(
          "History can be kept for 0 to " + LONGEST + " days, not for " + days);
    }
  }
}
