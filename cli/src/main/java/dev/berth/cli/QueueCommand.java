package dev.berth.cli;

import dev.berth.Berth;
import dev.berth.store.Applied;
import dev.berth.task.Names;
import dev.berth.view.QueueView;
import java.io.PrintWriter;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** Looks at queues, and pauses and resumes them. */
@Command(name = "queue", description = "List, pause and resume queues.")
final class QueueCommand extends CommandGroup {

  @Command(description = "List the queues that have tasks to run or are paused.")
  void list(@Mixin StoreOptions store, @Mixin Output output) {
    try (Berth berth = store.open()) {
      List<QueueView> queues = berth.reader().queues();
      output.answer(queues.stream().map(QueueCommand::json).toList(), out -> print(queues, out));
    }
  }

  @Command(description = "Start no more tasks of a queue; running ones go on.")
  void pause(
      @Parameters(paramLabel = "NAME", description = "The queue.") String name,
      @Mixin StoreOptions store,
      @Mixin Output output) {
    Names.check("queue", name);
    try (Berth berth = store.open()) {
      Applied applied = berth.queues().pause(name);
      answer(output, name, true, applied);
    }
  }

  @Command(description = "Let tasks of a paused queue start again.")
  void resume(
      @Parameters(paramLabel = "NAME", description = "The queue.") String name,
      @Mixin StoreOptions store,
      @Mixin Output output) {
    Names.check("queue", name);
    try (Berth berth = store.open()) {
      Applied applied = berth.queues().resume(name);
      answer(output, name, false, applied);
    }
  }

  private static void answer(Output output, String name, boolean paused, Applied applied) {
    boolean changed = applied == Applied.DONE;
    output.answer(
        Json.object().put("queue", name).put("paused", paused).put("changed", changed).map(),
        out ->
            out.printf(
                "Queue %s %s%s.%n",
                name, changed ? "is " : "was already ", paused ? "paused" : "running"));
  }

  private static Object json(QueueView queue) {
    return Json.object()
        .put("queue", queue.queue())
        .put("paused", queue.paused())
        .put("waiting", queue.waiting())
        .put("ready", queue.ready())
        .put("running", queue.running())
        .map();
  }

  private static void print(List<QueueView> queues, PrintWriter out) {
    if (queues.isEmpty()) {
      out.println("No queue has tasks to run.");
      return;
    }
    Table table =
        new Table().text("QUEUE").number("RUNNING").number("READY").number("WAITING").text("");
    for (QueueView queue : queues) {
      table.row(
          queue.queue(),
          Text.count(queue.running()),
          Text.count(queue.ready()),
          Text.count(queue.waiting()),
          queue.paused() ? "paused" : "");
    }
    table.print(out);
  }
}
