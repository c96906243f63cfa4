package dev.berth.benchmarks;

import static java.util.Map.entry;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import java.util.Map;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Each scenario at its smallest: that it runs and what it tells, not how fast anything is. */
class ScenarioTest {

  private static final Map<String, List<String>> RATIOS =
      Map.ofEntries(
          entry("drain", List.of("vs_raw_sql", "vs_raw_sql_no_history", "vs_raw_sql_1")),
          entry("submit", List.of("submit_vs_copy", "submit_scaling")),
          entry("backlog", List.of("backlog_1m", "backlog_1m_worker")),
          entry("workers", List.of("workers_2")),
          entry("in-flight", List.of("in_flight_1000", "in_flight_10000")),
          entry("idle", List.of("idle_cpu")),
          entry("latency", List.of("due_within_20ms", "wake_up_vs_poll")),
          entry(
              "long-transaction",
              List.of(
                  "long_tx", "long_tx_limited", "long_tx_steady_limited", "long_tx_steady_keys")),
          entry("foreign", List.of("foreign_1m", "foreign_1m_idle")),
          entry("concurrency-baseline", List.of("limits_elsewhere")),
          entry("concurrency-enabled", List.of("all_limited", "one_worker_limited")),
          entry("concurrency-mixed", List.of("mixed")),
          entry("concurrency-high", List.of("one_limit_500")),
          entry("blocked", List.of("blocked_1m", "blocked_1m_limited", "blocked_1m_idle")),
          entry("keys", List.of("keys_100k")),
          entry("workflows", List.of("workflow_1m", "workflows_100k")),
          entry("slot-use", List.of("slot_use_5ms", "slot_use_50ms", "slot_use_pool_5ms")));

  /** But for the one that writes files, which the test of the command looks at. */
  static List<Scenario> scenarios() {
    return Scenario.all().stream()
        .filter(scenario -> scenario.missing().isEmpty() && !(scenario instanceof PlansScenario))
        .toList();
  }

  @ParameterizedTest
  @MethodSource("scenarios")
  void tellsItsRatiosAndFigures(Scenario scenario) throws Exception {
    Report report = Bench.run(scenario, TinyServer.IT, Size.TINY, line -> {});

    assertThat(report.content()).containsOnlyKeys("scenario", "ratios", "figures");
    assertThat(report.content()).containsEntry("scenario", scenario.name());
    assertThat(report.content().get("ratios"))
        .asInstanceOf(InstanceOfAssertFactories.map(String.class, Double.class))
        .containsOnlyKeys(RATIOS.get(scenario.name()))
        .allSatisfy((name, ratio) -> assertThat(ratio).isNotNegative());
    assertThat(report.content().get("figures"))
        .asInstanceOf(InstanceOfAssertFactories.map(String.class, Object.class))
        .containsKey("noisy")
        .hasEntrySatisfying(
            "server", server -> assertThat(server.toString()).contains("synchronous_commit on"));

    StringWriter table = new StringWriter();
    report.print(new PrintWriter(table));
    assertThat(table.toString()).contains(RATIOS.get(scenario.name())).contains("median");
  }

  @Test
  void whatSlotsCostIsAskedOfTheServer() throws Exception {
    Report report = Bench.run(ConcurrencyScenario.enabled(), TinyServer.IT, Size.TINY, line -> {});

    assertThat(report.figures())
        .filteredOn(figure -> figure.name().startsWith("slot_"))
        .allSatisfy(figure -> assertThat(figure.median()).isBetween(0.0001, 1_000.0))
        .satisfiesExactly(
            lock -> {
              assertThat(lock.target()).isEqualTo(Target.atMost(1));
              assertThat(lock.means()).matches("berth_private.take_slots, for each of \\d+ slots");
            },
            calls -> assertThat(calls.means()).matches("the same for each of \\d+ calls"),
            release -> {
              assertThat(release.target()).isEqualTo(Target.atMost(1));
              assertThat(release.means())
                  .matches("berth_private.give_back, for each of \\d+ slots");
            },
            calls -> assertThat(calls.means()).matches("the same for each of \\d+ calls"));
  }

  @Test
  void aSteadyLoadTellsItsPaceAndWhatWaitedAtTheEndOfEachPart() throws Exception {
    Report report = Bench.run(new Steady(), TinyServer.IT, Size.TINY, line -> {});

    assertThat(report.figures())
        .filteredOn(figure -> figure.name().startsWith("steady_"))
        .extracting(Finding::name)
        .containsExactly(
            "steady_limited_pace_per_s",
            "steady_limited_with_per_s",
            "steady_limited_with_waiting",
            "steady_limited_without_per_s",
            "steady_limited_without_waiting",
            "steady_keys_pace_per_s",
            "steady_keys_with_per_s",
            "steady_keys_with_waiting",
            "steady_keys_without_per_s",
            "steady_keys_without_waiting");
    assertThat(report.figures())
        .filteredOn(figure -> figure.name().endsWith("_waiting"))
        .allSatisfy(figure -> {
          assertThat(figure.median()).isNotNegative();
          assertThat(figure.means())
              .matches("the most that waited at the end of a part; of each: [\\d,]+");
        });
  }

  @Test
  void noTwoScenariosTellTheSameRatio() {
    assertThat(RATIOS.values().stream().flatMap(List::stream)).doesNotHaveDuplicates();
  }

  /** What is steady of the scenario, without its drains. */
  private static final class Steady implements Scenario {

    @Override
    public String name() {
      return "steady";
    }

    @Override
    public String about() {
      return "Steady loads.";
    }

    @Override
    public void run(Bench bench, Report report) throws Exception {
      SteadyLoads.measure(bench, report);
    }
  }
}
