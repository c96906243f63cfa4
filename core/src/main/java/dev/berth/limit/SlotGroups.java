package dev.berth.limit;

import java.util.ArrayList;
import java.util.List;

/** How the slots of a limit are spread over rows, so that parallel claimers lock different ones. */
public final class SlotGroups {

  /** At most so many rows a limit, however many slots it has. */
  public static final int MOST = 50;

  private SlotGroups() {}

  /**
   * The capacity of each group. They add up to exactly the number of slots: the last group has what
   * is left, never more.
   */
  public static List<Integer> split(int slots) {
    List<Integer> capacities = new ArrayList<>();
    int each = Math.ceilDiv(slots, MOST);
    for (int left = slots; left > 0; left -= each) {
      capacities.add(Math.min(each, left));
    }
    return capacities;
  }
}
