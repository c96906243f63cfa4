package dev.berth.cli;

import dev.berth.view.LimitView;
import dev.berth.view.LimitView.Holder;
import java.util.List;

/** How people name a slot that somebody holds: by its number, the token, or the task. */
final class SlotNames {

  private SlotNames() {}

  /** The one holder that is meant. */
  static Holder holder(LimitView limit, String slot) {
    List<Holder> meant =
        limit.holders().stream().filter(holder -> isMeant(holder, slot.strip())).toList();
    if (meant.size() > 1) {
      throw new CommandFailedException(
          "%d holders of %s are in slot %s: name the token or the task of the one you mean, as 'berth limit status %s' shows them."
              .formatted(meant.size(), limit.key(), slot, limit.key()));
    }
    if (meant.isEmpty()) {
      throw new CommandFailedException(
          "Nobody holds slot %s of %s; 'berth limit status %s' shows who holds which."
              .formatted(slot, limit.key(), limit.key()));
    }
    return meant.getFirst();
  }

  static String who(Holder holder) {
    return holder.task() == null ? "Worker " + holder.worker() : "Task " + holder.task();
  }

  private static boolean isMeant(Holder holder, String slot) {
    return slot.equals(Integer.toString(holder.group()))
        || slot.equals(Long.toString(holder.token()))
        || holder.task() != null && slot.equals(holder.task().toString());
  }
}
