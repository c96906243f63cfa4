package dev.berth.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class WorkerSettingsTest {

  private final WorkerBuilder builder =
      new WorkerBuilder(new ScriptedStore(), new TextCodec()).environment(Map.of());

  @Test
  void defaults() {
    WorkerSettings settings = builder.name("w").readSettings();
    assertThat(settings)
        .isEqualTo(
            new WorkerSettings(
                "w",
                1_000,
                50,
                Duration.ofMillis(100),
                Duration.ofSeconds(30),
                Duration.ofSeconds(5),
                Duration.ofSeconds(30),
                0.8,
                Duration.ofMillis(500),
                true));
  }

  @Test
  void theEnvironmentGoesBeforeTheFileBeforeTheBuilder() {
    builder.claimBatchSize(1).maxConcurrentTasks(1).pollInterval(Duration.ofMillis(1)).name("b");
    builder.settings(
        Map.of(
            "worker.claim_batch_size", "2",
            "worker.max_concurrent_tasks", "2",
            "worker.name", "f",
            "database.url", "of others"));
    builder.environment(
        Map.of("BERTH_CLAIM_BATCH_SIZE", "3", "BERTH_WORKER_NAME", "e", "BERTH_OTHER", "x"));

    WorkerSettings settings = builder.readSettings();
    assertThat(settings.claimBatchSize()).isEqualTo(3);
    assertThat(settings.maxConcurrentTasks()).isEqualTo(2);
    assertThat(settings.pollInterval()).isEqualTo(Duration.ofMillis(1));
    assertThat(settings.name()).isEqualTo("e");
  }

  @Test
  void everySettingHasAVariable() {
    builder.environment(
        Map.of(
            "BERTH_WORKER_NAME", "w",
            "BERTH_MAX_CONCURRENT_TASKS", "7",
            "BERTH_CLAIM_BATCH_SIZE", "6",
            "BERTH_POLL_INTERVAL_MS", "5",
            "BERTH_LEASE_MS", "4000",
            "BERTH_HEARTBEAT_INTERVAL_MS", "300",
            "BERTH_STOP_TIMEOUT_MS", "0",
            "BERTH_MEMORY_THRESHOLD", "0.5",
            "BERTH_LATENCY_THRESHOLD_MS", "2",
            "BERTH_WAKE_UPS", "off"));
    assertThat(builder.readSettings())
        .isEqualTo(
            new WorkerSettings(
                "w",
                7,
                6,
                Duration.ofMillis(5),
                Duration.ofSeconds(4),
                Duration.ofMillis(300),
                Duration.ZERO,
                0.5,
                Duration.ofMillis(2),
                false));
  }

  @Test
  void anEmptyVariableSaysNothing() {
    builder.claimBatchSize(9).environment(Map.of("BERTH_CLAIM_BATCH_SIZE", " "));
    assertThat(builder.readSettings().claimBatchSize()).isEqualTo(9);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "BERTH_CLAIM_BATCH_SIZE | many | a whole number from 1 to 10000",
        "BERTH_CLAIM_BATCH_SIZE | 0 | a whole number from 1 to 10000",
        "BERTH_MAX_CONCURRENT_TASKS | 1e3 | a whole number from 1 to 1000000",
        "BERTH_POLL_INTERVAL_MS | 5s | a whole number of milliseconds from 1 to 86400000",
        "BERTH_LEASE_MS | 99 | a whole number of milliseconds from 100 to 86400000",
        "BERTH_MEMORY_THRESHOLD | 80 | a part above 0 and up to 1, such as 0.8",
        "BERTH_MEMORY_THRESHOLD | NaN | a part above 0 and up to 1, such as 0.8",
        "BERTH_WAKE_UPS | maybe | true or false",
      })
  void aBadValueIsNamed(String variable, String value, String needed) {
    builder.environment(Map.of(variable, value));
    assertThatThrownBy(builder::readSettings)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(variable + " must be " + needed + ", but it is \"" + value + "\"");
  }

  @Test
  void aBadValueInTheFileOrTheBuilderIsNamedAsItIsThere() {
    builder.claimBatchSize(0);
    assertThatThrownBy(builder::readSettings).hasMessageStartingWith("claimBatchSize must be");
    builder.settings(Map.of("worker.claim_batch_size", "x"));
    assertThatThrownBy(builder::readSettings)
        .hasMessageStartingWith("worker.claim_batch_size must be");
  }

  @Test
  void aTimeThatIsTooLongForANumberIsNamedToo() {
    Duration longest = Duration.ofSeconds(Long.MAX_VALUE);
    List<UnaryOperator<WorkerBuilder>> setters =
        List.of(
            b -> b.pollInterval(longest),
            b -> b.lease(longest),
            b -> b.heartbeatInterval(longest),
            b -> b.stopTimeout(longest),
            b -> b.latencyThreshold(longest),
            b -> b.lease(longest.negated()));
    for (UnaryOperator<WorkerBuilder> setter : setters) {
      WorkerBuilder fresh = new WorkerBuilder(new ScriptedStore(), new TextCodec());
      assertThatThrownBy(() -> setter.apply(fresh).environment(Map.of()).readSettings())
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageMatching("\\w+ must be a whole number of milliseconds from .*, but it is .*");
    }
    assertThatThrownBy(() -> builder.lease(longest).readSettings())
        .hasMessageEndingWith("but it is \"PT2562047788015215H30M7S\"");
  }

  @Test
  void aKeyThatIsNoSettingIsAnError() {
    builder.settings(Map.of("worker.batch", "5"));
    assertThatThrownBy(builder::readSettings)
        .hasMessageStartingWith("There is no setting worker.batch: use one of [worker.claim_batch");
  }

  @Test
  void aHeartbeatSlowerThanHalfTheLeaseIsAnError() {
    builder.environment(Map.of("BERTH_LEASE_MS", "6000"));
    assertThatThrownBy(builder::readSettings)
        .hasMessageStartingWith(
            "The heartbeat interval of 5000 ms is too long for a lease of 6000 ms");
  }
}
