package dev.berth.peers;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.benchmarks.Bench;
import dev.berth.benchmarks.Report;
import dev.berth.benchmarks.Scenario;
import dev.berth.benchmarks.Server;
import dev.berth.benchmarks.Size;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Test;

/** Every peer runs tasks to their durable end, at the smallest size: not how fast. */
class PeersTest {

  @Test
  void allOfThemAreMeasuredBesideBerth() throws Exception {
    Scenario scenario = Scenario.named("peers").orElseThrow();
    assertThat(scenario.missing()).isEmpty();
    try (Server server = Server.start()) {
      Report report = Bench.run(scenario, server, Size.TINY, line -> {});

      assertThat(report.content().get("ratios"))
          .asInstanceOf(InstanceOfAssertFactories.map(String.class, Double.class))
          .containsOnlyKeys(
              "vs_db_scheduler",
              "vs_jobrunr",
              "vs_quartz",
              "vs_best_peer",
              "vs_raw_sql",
              "vs_raw_sql_no_history",
              "pick_up_vs_db_scheduler")
          .allSatisfy((name, ratio) -> assertThat(ratio).isPositive());
      assertThat(report.content().get("figures"))
          .asInstanceOf(InstanceOfAssertFactories.map(String.class, Object.class))
          .containsKeys(
              "berth_per_s",
              "berth_no_history_per_s",
              "db_scheduler_per_s",
              "jobrunr_per_s",
              "quartz_per_s",
              "raw_sql_per_s",
              "berth_p50_ms",
              "berth_p99_ms",
              "db_scheduler_p50_ms",
              "db_scheduler_p99_ms");
    }
  }
}
