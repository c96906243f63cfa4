package dev.berth.view;

import dev.berth.limit.LimitKey;
import dev.berth.view.LimitView.Holder;
import java.time.Instant;
import java.util.List;

/** One thing that keeps a task from starting. */
public sealed interface Obstacle {

  /** Whether it goes away by itself while workers do their work; else someone must act. */
  boolean passes();

  /** It may not start before this time. */
  record NotDue(Instant dueAt) implements Obstacle {
    @Override
    public boolean passes() {
      return true;
    }
  }

  /**
   * It is a step of a workflow, and another step comes first.
   *
   * @param step the one that is next or runs; of a halted workflow, the one that halted it
   * @param halted whether nothing goes on until a person retries or skips that step
   */
  record HeldByWorkflow(String workflow, String step, boolean halted) implements Obstacle {
    @Override
    public boolean passes() {
      return !halted;
    }
  }

  /** Nothing of its queue starts until the queue is resumed. */
  record QueuePaused(String queue) implements Obstacle {
    @Override
    public boolean passes() {
      return false;
    }
  }

  /** No live worker reads its queue and handles its type. */
  record NoWorker(String type, String queue) implements Obstacle {
    @Override
    public boolean passes() {
      return false;
    }
  }

  /** Nothing under this limit starts until it is resumed, or the rule that it is under. */
  record LimitPaused(LimitKey key) implements Obstacle {
    @Override
    public boolean passes() {
      return false;
    }
  }

  /** The next task under this limit may not start before this time. */
  record Paced(LimitKey key, Instant nextStartAt) implements Obstacle {
    @Override
    public boolean passes() {
      return true;
    }
  }

  /** Its free slots are left to a task that needs several of them, until that one has started. */
  record Reserved(LimitKey key) implements Obstacle {
    @Override
    public boolean passes() {
      return true;
    }
  }

  /**
   * The limit has fewer free slots than the task takes.
   *
   * @param slots how many there are
   * @param used how many running tasks hold; more than there are while a lowered limit drains
   * @param needed how many the task takes
   * @param holders who holds them: the {@value #MOST_HOLDERS} that have run longest
   */
  record NoRoom(LimitKey key, int slots, int used, int needed, List<Holder> holders)
      implements Obstacle {

    public static final int MOST_HOLDERS = 100;

    public NoRoom {
      holders = List.copyOf(holders);
    }

    public Why why() {
      if (slots == 0) {
        return Why.CLOSED;
      }
      if (needed > slots) {
        return Why.TOO_SMALL;
      }
      return used > slots ? Why.DRAINS : Why.FULL;
    }

    @Override
    public boolean passes() {
      return why() == Why.DRAINS || why() == Why.FULL;
    }
  }

  /** Why a limit has no room. */
  enum Why {
    /** It has no slots at all. */
    CLOSED,
    /** The task takes more slots than there are. */
    TOO_SMALL,
    /** It was lowered below what runs: nothing starts until that has ended. */
    DRAINS,
    /** Running tasks hold the slots. */
    FULL
  }
}
