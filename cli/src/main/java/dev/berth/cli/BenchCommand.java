package dev.berth.cli;

import dev.berth.benchmarks.Bench;
import dev.berth.benchmarks.PlansScenario;
import dev.berth.benchmarks.Report;
import dev.berth.benchmarks.Scenario;
import dev.berth.benchmarks.Server;
import dev.berth.benchmarks.Size;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.Iterator;
import java.util.concurrent.Callable;
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
          + " at."
    })
final class BenchCommand implements Callable<Integer> {

  @Parameters(
      arity = "1",
      paramLabel = "SCENARIO",
      completionCandidates = Names.class,
      description = "What to measure: ${COMPLETION-CANDIDATES}.")
  private String scenario;

  @Option(names = "--quick", description = "Fewer tasks and rounds: under a minute.")
  private boolean quick;

  @Option(names = "--tiny", hidden = true)
  private boolean tiny;

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

  @Override
  public Integer call() throws Exception {
    Scenario chosen =
        Scenario.named(scenario)
            .orElseThrow(() ->
                new ParameterException(
                    spec.commandLine(),
                    "There is no scenario \"%s\"; there are: %s."
                        .formatted(scenario, String.join(", ", new Names()))));
    if (chosen instanceof PlansScenario some) {
      chosen = some.into(plans);
    }
    PrintWriter side = output.json() ? output.err() : output.out();
    say(side, chosen.about());
    try (CleanStop stop = new CleanStop();
        Server server = db == null ? Server.start() : Server.at(DatabaseUrl.jdbc(db))) {
      if (functions) {
        server.tellingFunctions(table -> say(side, "\n" + table));
      }
      Report report = Bench.run(chosen, server, size(), line -> say(side, "  " + line));
      side.println();
      output.answer(report.content(), report::print);
    }
    return ExitCode.OK;
  }

  private static void say(PrintWriter side, String line) {
    side.println(line);
    side.flush();
  }

  private Size size() {
    return tiny ? Size.TINY : quick ? Size.QUICK : Size.FULL;
  }

  /** The names of the scenarios. */
  static final class Names implements Iterable<String> {
    @Override
    public Iterator<String> iterator() {
      return Scenario.all().stream().map(Scenario::name).iterator();
    }
  }
}
