package dev.berth.memory;

import dev.berth.limit.Need;
import dev.berth.view.LimitView.Holder;
import java.util.List;

/** What can hold slots: a running task, or a hold without one. */
sealed interface SlotHolder permits MemoryTask, MemoryHold {

  /** Slots in memory need no groups. */
  int NO_GROUP = 0;

  List<Need> needs();

  /** Proves that it holds them. */
  long token();

  /** How it is shown as the holder of so many slots. */
  Holder holder(int weight);
}
