package dev.berth.store;

import dev.berth.limit.LimitKey;
import java.util.List;

/**
 * A limit as it is now.
 *
 * @param slots how many there are
 * @param used how many running tasks hold; more than there are while a lowered limit drains
 * @param waiting how many ready tasks are under it
 * @param source who said the number
 * @param holders the running tasks that hold its slots
 */
public record LimitView(
    LimitKey key,
    int slots,
    int used,
    long waiting,
    boolean paused,
    Source source,
    List<Holder> holders) {

  public LimitView {
    holders = List.copyOf(holders);
  }

  /** Whose number counts; later ones win over earlier ones. */
  public enum Source {
    SUBMIT,
    CODE,
    OVERRIDE
  }

  /**
   * Who holds slots.
   *
   * @param group the slot group they are of
   */
  public record Holder(Lease lease, String type, String worker, int group, int weight) {}
}
