package dev.berth.cli;

import dev.berth.postgres.PostgresStore;
import dev.berth.postgres.SqlTasks;
import dev.berth.postgres.Topics;
import dev.berth.postgres.Topics.TopicView;
import dev.berth.store.Applied;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Looks at topics of SQL tasks, and sets them. */
@Command(name = "topic", description = "List, set and reset the topics of SQL tasks.")
final class TopicCommand extends CommandGroup {

  private static final String DEFAULTS = "(default)";
  private static final String NAME =
      "The topic; without it, what counts for all topics that say nothing else.";

  @Spec private CommandSpec command;

  @Command(description = "List the topics that were set or that tasks are under.")
  void list(@Mixin StoreOptions store, @Mixin Output output) {
    try (PostgresStore on = store.openStore()) {
      Topics topics = SqlTasks.on(on).topics();
      List<TopicView> all = topics.list();
      output.answer(all.stream().map(TopicCommand::json).toList(), out -> print(all, out));
    }
  }

  @Command(
      description = {
        "Set how many tasks of a topic run at once, how often a failed one is tried again and the"
            + " time between two starts. What is not said stays.",
        "A task under several topics is under the strictest of each."
      })
  void set(
      @Parameters(paramLabel = "NAME", arity = "0..1", description = NAME) @Nullable String name,
      @Option(
              names = "--max-parallel",
              paramLabel = "N",
              description = "How many at once, 0 to 1000000; 0 blocks.")
          @Nullable Integer maxParallel,
      @Option(
              names = "--retry-count",
              paramLabel = "N",
              description = "How often a failed task is tried again, 0 to 1000.")
          @Nullable Integer retryCount,
      @Option(
              names = "--delay",
              paramLabel = "TIME",
              description = "The least time between two starts, such as PT1S; PT0S for none.")
          @Nullable Duration delay,
      @Mixin StoreOptions store,
      @Mixin Output output) {
    if (maxParallel == null && retryCount == null && delay == null) {
      throw new ParameterException(
          command.commandLine(), "What to set? Say --max-parallel, --retry-count or --delay.");
    }
    try (PostgresStore on = store.openStore()) {
      Topics topics = SqlTasks.on(on).topics();
      topics.set(name, maxParallel, retryCount, delay);
      answer(output, topics, name, "");
    }
  }

  @Command(description = "Let what the file of the workers or the defaults say count again.")
  void reset(
      @Parameters(paramLabel = "NAME", arity = "0..1", description = NAME) @Nullable String name,
      @Mixin StoreOptions store,
      @Mixin Output output) {
    try (PostgresStore on = store.openStore()) {
      Topics topics = SqlTasks.on(on).topics();
      Applied applied = topics.reset(name);
      answer(output, topics, name, applied == Applied.DONE ? "" : " It was not set by hand.");
    }
  }

  /** What counts now; a topic that nobody speaks of any more has the defaults. */
  private static void answer(Output output, Topics topics, @Nullable String name, String more) {
    List<TopicView> all = topics.list();
    TopicView now =
        all.stream()
            .filter(topic -> topic.name().equals(name == null ? "" : name))
            .findFirst()
            .orElse(all.getFirst());
    output.answer(
        json(now),
        out ->
            out.printf(
                "%s: %s at once, %s, %s between two starts.%s%n",
                name == null ? "All topics that say nothing else" : "Topic " + name,
                Text.count(now.maxParallel(), "task"),
                now.retryCount() == 1 ? "1 retry" : Text.count(now.retryCount()) + " retries",
                now.delay().isZero() ? "no time" : Text.duration(now.delay()),
                more));
  }

  private static Object json(TopicView topic) {
    return Json.object()
        .put("topic", topic.name().isEmpty() ? null : topic.name())
        .put("max_parallel", topic.maxParallel())
        .put("retry_count", topic.retryCount())
        .put("delay_ms", topic.delay().toMillis())
        .put("by_hand", topic.byHand())
        .put("pending", topic.pending())
        .put("running", topic.running())
        .map();
  }

  private static void print(List<TopicView> topics, PrintWriter out) {
    Table table =
        new Table()
            .text("TOPIC")
            .number("PARALLEL")
            .number("RETRIES")
            .number("DELAY")
            .number("PENDING")
            .number("RUNNING")
            .text("");
    for (TopicView topic : topics) {
      table.row(
          topic.name().isEmpty() ? DEFAULTS : topic.name(),
          Text.count(topic.maxParallel()),
          Text.count(topic.retryCount()),
          topic.delay().isZero() ? "-" : Text.duration(topic.delay()),
          topic.name().isEmpty() ? "" : Text.count(topic.pending()),
          topic.name().isEmpty() ? "" : Text.count(topic.running()),
          topic.byHand() ? "set by hand" : "");
    }
    table.print(out);
  }
}
