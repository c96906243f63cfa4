package dev.berth.view;

import dev.berth.limit.LimitKey;
import dev.berth.task.TaskId;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A limit as it is now.
 *
 * @param slots how many there are; of each key where this is the rule of many
 * @param used how many are held, of all keys together where this is a rule; more than there are
 *     while a lowered limit drains
 * @param waiting how many ready tasks are under it; a store may count only some hundred thousand
 * @param source who said the number
 * @param holders who holds its slots
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

  /** The same limit, held by these. */
  public LimitView heldBy(List<Holder> all) {
    return new LimitView(key, slots, used, waiting, paused, source, all);
  }

  /** Whose number counts; later ones win over earlier ones. */
  public enum Source {
    SUBMIT,
    CODE,
    FILE,
    OVERRIDE
  }

  /**
   * Who holds slots: a running task, or somebody who took them without one.
   *
   * @param task null where there is none
   * @param type of the task
   * @param token proves that they are held
   * @param worker the name of the session that holds them
   * @param expiresAt when they come back if that session is heard of no more
   * @param since when the attempt began, or the slots were taken without a task
   * @param group the slot group they are of
   * @param weight how many they are
   */
  public record Holder(
      @Nullable TaskId task,
      @Nullable String type,
      long token,
      String worker,
      Instant expiresAt,
      Instant since,
      int group,
      int weight) {}
}
