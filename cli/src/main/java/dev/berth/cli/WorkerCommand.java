package dev.berth.cli;

import dev.berth.Berth;
import dev.berth.view.SessionView;
import java.io.PrintWriter;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Looks at the workers that are alive, and runs one for SQL tasks. */
@Command(
    name = "worker",
    description = "List the workers that are alive, and run SQL tasks.",
    subcommands = SqlWorkerCommand.class)
final class WorkerCommand extends CommandGroup {

  @Command(description = "List the workers whose session is alive, and what they can take.")
  void list(@Mixin StoreOptions store, @Mixin Output output) {
    try (Berth berth = store.open()) {
      List<SessionView> sessions = berth.reader().sessions();
      output.answer(
          sessions.stream().map(WorkerCommand::json).toList(), out -> print(sessions, out));
    }
  }

  private static Object json(SessionView session) {
    return Json.object()
        .put("session", session.id().value())
        .put("worker", session.worker())
        .put("opened_at", session.openedAt().toString())
        .put("expires_at", session.expiresAt().toString())
        .put("running", session.running())
        .put("free", session.capacity().free())
        .put("max", session.capacity().max())
        .put("memory", session.capacity().memory())
        .put("queues", session.queues())
        .put("types", session.types())
        .map();
  }

  private static void print(List<SessionView> sessions, PrintWriter out) {
    if (sessions.isEmpty()) {
      out.println("No worker is alive.");
      return;
    }
    Table table =
        new Table()
            .text("WORKER")
            .number("SESSION")
            .text("SINCE")
            .number("RUNNING")
            .number("FREE")
            .number("MAX")
            .number("MEMORY")
            .text("QUEUES");
    for (SessionView session : sessions) {
      table.row(
          session.worker(),
          session.id(),
          Text.time(session.openedAt()),
          Text.count(session.running()),
          Text.count(session.capacity().free()),
          Text.count(session.capacity().max()),
          Math.round(session.capacity().memory() * 100) + " %",
          String.join(", ", session.queues()));
    }
    table.print(out);
  }
}
