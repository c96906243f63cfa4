package dev.berth.cli;

import dev.berth.postgres.PostgresUrl;
import dev.berth.task.TaskId;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParentCommand;
import picocli.CommandLine.Spec;

/** Submits some thousand tasks and runs them, on a database server of its own. */
@Command(
    name = "demo",
    description = {
      "Submit some thousand tasks of a small shop and run them with a worker.",
      "They are kept in a real PostgreSQL that is started for the demo and thrown away after it."
          + " Some tasks fail once and are retried; all of them finish. Some are under limits; the"
          + " summary shows how many of them really ran at once.",
      "Of a configuration file, only the settings of the worker are used."
    })
final class DemoCommand implements Callable<Integer> {

  /** As shells count it: 128 and the number of the signal. */
  private static final int INTERRUPTED = 130;

  /** Where the tasks are kept. */
  enum Kind {
    memory,
    postgres
  }

  @ParentCommand private Main main;
  @Mixin private ConfigOption config;
  @Mixin private Output output;
  @Spec private CommandSpec spec;

  @Option(
      names = "--tasks",
      paramLabel = "N",
      defaultValue = "5000",
      description = "How many tasks (${DEFAULT-VALUE} by default).")
  private int tasks;

  @Option(
      names = "--store",
      paramLabel = "STORE",
      description = "Where they are kept: ${COMPLETION-CANDIDATES} (postgres by default).")
  private @Nullable Kind kind;

  @Option(
      names = "--db",
      paramLabel = "URL",
      description = {
        "A PostgreSQL database to use instead, written as",
        "postgres://USER:PASSWORD@HOST/DATABASE or",
        "jdbc:postgresql://HOST/DATABASE?user=USER."
      })
  private @Nullable String db;

  @Override
  public Integer call() throws Exception {
    check();
    try (CleanStop stop = new CleanStop();
        DemoStore store = open()) {
      return run(store);
    }
  }

  private void check() {
    if (tasks < 1) {
      throw new ParameterException(spec.commandLine(), "--tasks must be at least 1, not " + tasks);
    }
    if (kind == Kind.memory && db != null) {
      throw new ParameterException(
          spec.commandLine(), "--store memory and --db exclude each other");
    }
  }

  private DemoStore open() {
    if (kind == Kind.memory) {
      return DemoStore.memory();
    }
    return db == null ? embedded() : DemoStore.on(PostgresUrl.jdbc(db));
  }

  private DemoStore embedded() {
    say("Starting a PostgreSQL server for the demo");
    long began = System.nanoTime();
    DemoStore store = DemoStore.embedded();
    say(
        "%s is up after %s"
            .formatted(
                store.description(), Text.duration(Duration.ofNanos(System.nanoTime() - began))));
    return store;
  }

  private int run(DemoStore store) {
    String queue = "demo-" + TaskId.next().toString().substring(0, 13);
    DemoRun run = new DemoRun(store.berth(), queue, tasks, config.file().values());
    say("Submitting " + Text.count(tasks, "task") + " and running them");
    DemoResult result;
    try (DemoProgress progress = DemoProgress.on(side(), main.terminal(stream()))) {
      result = run.run(progress);
      progress.last(result.end());
    } catch (InterruptedException e) {
      say(
          db == null
              ? "Interrupted"
              : "Interrupted; the tasks that are left stay in queue " + queue + " of the database");
      return INTERRUPTED;
    }
    side().println();
    output.answer(
        result.json(kind == Kind.memory ? "memory" : "postgres"),
        out -> result.print(out, store.description()));
    return result.complete() ? ExitCode.OK : ExitCode.SOFTWARE;
  }

  private void say(String line) {
    side().println(line);
    side().flush();
  }

  /** Where everything goes that is not the answer: beside it, or above it. */
  private PrintWriter side() {
    return output.json() ? output.err() : output.out();
  }

  private Terminal.Stream stream() {
    return output.json() ? Terminal.Stream.ERR : Terminal.Stream.OUT;
  }
}
