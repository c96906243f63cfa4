package dev.berth.cli;

import dev.berth.benchmarks.Bench;
import dev.berth.benchmarks.PlansScenario;
import dev.berth.benchmarks.Report;
import dev.berth.benchmarks.Results;
import dev.berth.benchmarks.Scenario;
import dev.berth.benchmarks.Server;
import dev.berth.benchmarks.Size;
import dev.berth.benchmarks.Suite;
import dev.berth.postgres.PostgresUrl;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Measures Berth. */
@Command(
    name = "bench",
    description = {
      "Measure Berth on this machine, beside a baseline in the same run.",
      "It starts a PostgreSQL for the run: an installed one where there is one, since the bundled"
          + " one is not built for speed. Figures depend on the machine; ratios are what to look"
          + " at.",
      "It ends with 1 where a scenario failed or a target was missed."
    })
final class BenchCommand implements Callable<Integer> {

  private static final String ALL = "all";

  @Parameters(
      arity = "1..*",
      paramLabel = "SCENARIO",
      completionCandidates = Names.class,
      description = {
        "What to measure: ${COMPLETION-CANDIDATES}.",
        "Of several, one that fails does not stop the others."
      })
  private List<String> names;

  @Option(
      names = "--quick",
      description = "Fewer tasks and rounds: under a minute each, two for long-transaction.")
  private boolean quick;

  @Option(names = "--tiny", hidden = true)
  private boolean tiny;

  @Option(
      names = "--report",
      paramLabel = "FOLDER",
      description =
          "Also write what was found into this folder: performance.md, performance.svg as its plot,"
              + " and performance.html for browsers.")
  private @Nullable Path folder;

  @Option(
      names = "--functions",
      description =
          "Also print how much time the server spent in which SQL function, for each database of"
              + " the run. Costs some speed.")
  private boolean functions;

  @Mixin private Output output;

  @Option(
      names = "--db",
      paramLabel = "URL",
      description = {
        "A PostgreSQL server to measure on instead, written as",
        "postgres://USER:PASSWORD@HOST/DATABASE or",
        "jdbc:postgresql://HOST/DATABASE?user=USER.",
        "Databases are created on it for the run and dropped again; the named one is not touched."
      })
  private @Nullable String db;

  @Option(
      names = "--plans",
      paramLabel = "DIR",
      defaultValue = "docs/plans",
      description = "Where the scenario plans writes its files. Default: ${DEFAULT-VALUE}.")
  private Path plans;

  @Spec private CommandSpec spec;

  private final List<Scenario> scenarios;

  BenchCommand() {
    this(Scenario.all());
  }

  BenchCommand(List<Scenario> scenarios) {
    this.scenarios = scenarios;
  }

  @Override
  public Integer call() throws Exception {
    List<Scenario> chosen = chosen();
    try (CleanStop stop = new CleanStop();
        Server server = server()) {
      if (functions) {
        server.tellingFunctions(table -> say("\n" + table));
      }
      Results results = chosen.size() == 1 ? one(server, chosen.getFirst()) : all(server, chosen);
      if (folder != null) {
        say("\nThe report is in " + results.write(folder) + ".");
      }
      if (!results.missed().isEmpty()) {
        say("\nMissed: " + String.join(", ", results.missed()) + ".");
      }
      return results.failed().isEmpty() && results.missed().isEmpty()
          ? ExitCode.OK
          : ExitCode.SOFTWARE;
    }
  }

  private Server server() {
    if (db != null) {
      return Server.at(PostgresUrl.jdbc(db));
    }
    return tiny ? Server.startNotDurable() : Server.start();
  }

  private List<Scenario> chosen() {
    List<Scenario> wanted =
        names.contains(ALL) ? scenarios : names.stream().distinct().map(this::named).toList();
    return wanted.stream()
        .map(each -> each instanceof PlansScenario some ? some.into(plans) : each)
        .toList();
  }

  private Scenario named(String name) {
    return scenarios.stream()
        .filter(scenario -> scenario.name().equals(name))
        .findFirst()
        .orElseThrow(() ->
            new ParameterException(
                spec.commandLine(),
                "There is no scenario \"%s\"; there are: %s."
                    .formatted(name, String.join(", ", new Names()))));
  }

  /** Fails as the scenario does. */
  private Results one(Server server, Scenario chosen) throws Exception {
    say(chosen.about());
    long began = System.nanoTime();
    Report report = Bench.run(chosen, server, size(), line -> say("  " + line));
    tell(report);
    Duration took = Duration.ofNanos(System.nanoTime() - began);
    return new Results(server, size(), List.of(report), Map.of(), Map.of(), took);
  }

  private Results all(Server server, List<Scenario> chosen) throws InterruptedException {
    Results results = new Suite(server, size(), new Told()).run(chosen);
    say("");
    output.answer(results.content(), results::print);
    return results;
  }

  private void tell(Report report) {
    say("");
    output.answer(report.content(), report::print);
  }

  /** To where people look while programs read the answer. */
  private void say(String line) {
    PrintWriter side = output.json() ? output.err() : output.out();
    side.println(line);
    side.flush();
  }

  private Size size() {
    return tiny ? Size.TINY : quick ? Size.QUICK : Size.FULL;
  }

  private final class Told implements Suite.Listener {

    @Override
    public void begins(Scenario next, int number, int of) {
      say("\n%s (%d of %d): %s".formatted(next.name(), number, of, next.about()));
    }

    @Override
    public void says(String line) {
      say("  " + line);
    }

    @Override
    public void ends(Report report) {
      tell(report);
    }

    @Override
    public void skips(Scenario skipped, String why) {
      say("\n%s is left out: %s".formatted(skipped.name(), why));
    }

    @Override
    public void fails(Scenario failed, Exception why) {
      say("%s failed: %s".formatted(failed.name(), why.getMessage()));
    }
  }

  /** The names of the scenarios, and that of all together. */
  static final class Names implements Iterable<String> {
    @Override
    public Iterator<String> iterator() {
      return Stream.concat(Scenario.all().stream().map(Scenario::name), Stream.of(ALL)).iterator();
    }
  }
}
