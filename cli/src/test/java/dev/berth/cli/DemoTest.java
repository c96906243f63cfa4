package dev.berth.cli;

import static dev.berth.cli.Cli.berth;
import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.limit.LimitKey;
import dev.berth.worker.WorkerStats;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

class DemoTest {

  @TempDir Path folder;

  @Test
  void finishesEveryTaskOnAPostgresOfItsOwn() {
    Cli demo = berth("demo", "--tasks", "400", "--json");
    JsonNode answer = demo.json();
    assertThat(answer.get("submitted").asInt()).isEqualTo(400);
    assertThat(answer.get("finished").asInt()).isEqualTo(400);
    assertThat(answer.get("failed").asInt()).isZero();
    assertThat(answer.get("retried").asInt()).isPositive();
    assertThat(answer.get("seconds").asDouble()).isPositive();
    assertThat(answer.get("rate").asDouble()).isPositive();
    assertThat(answer.get("store").asString()).isEqualTo("postgres");
    assertThat(demo.err()).contains("PostgreSQL", "(embedded)", "400 of 400 finished");
    assertThat(answer.get("limits")).hasSize(3).allSatisfy(DemoTest::held);
  }

  @Test
  void staysWithinItsLimits() {
    JsonNode answer = berth("demo", "--store", "memory", "--tasks", "2000", "--json").json();
    assertThat(answer.get("limits"))
        .extracting(limit -> limit.get("key").asString())
        .containsExactly("limit/cpu", "type/charge_card", "type/build_report/customer");
    assertThat(answer.get("limits")).allSatisfy(DemoTest::held);
    assertThat(answer.get("limits").get(0).get("peak").asInt()).isGreaterThan(10);
  }

  @Test
  void countsWhatRunsAtOnceForEachKey() {
    var limit = new DemoLimit(LimitKey.ruleOf("import", "customer"), 1);
    try (var ada = limit.enter("ada");
        var bob = limit.enter("bob")) {
      assertThat(limit.peak()).isEqualTo(1);
      try (var again = limit.enter("ada")) {
        assertThat(limit.peak()).isEqualTo(2);
      }
    }
    try (var ada = limit.enter("ada")) {
      assertThat(limit.peak()).isEqualTo(2);
    }
  }

  @Test
  void endsWithATableForPeople() {
    String text = berth("demo", "--store", "memory", "--tasks", "300").text();
    assertThat(text)
        .contains("300 of 300 finished", "TASK TYPE", "send_email", "WAIT P99")
        .containsPattern("LIMIT +SLOTS +PEAK")
        .containsPattern("type/build_report/customer +1 +1")
        .containsPattern("300 of 300 tasks finished in .* on the memory store\\.")
        .doesNotContain("\033");
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 7, 1_001})
  void dividesAnyNumberAmongTheTypes(int tasks) {
    JsonNode answer = berth("demo", "--store", "memory", "--tasks", "" + tasks, "--json").json();
    int byType = 0;
    for (JsonNode type : answer.get("types")) {
      assertThat(type.get("finished")).isEqualTo(type.get("submitted"));
      byType += type.get("submitted").asInt();
    }
    assertThat(byType).isEqualTo(tasks).isEqualTo(answer.get("finished").asInt());
  }

  @Test
  void takesTheSettingsOfTheWorkerFromAFile() throws Exception {
    Path file = Files.writeString(folder.resolve("b.toml"), "[worker]\nclaim_batch_size = -1\n");
    assertThat(berth("demo", "--store", "memory", "--config", file.toString()).misuse())
        .contains("b.toml, line 2: worker.claim_batch_size must be a whole number");
  }

  @Test
  void refusesWhatMakesNoSense() {
    assertThat(berth("demo", "--tasks", "0").misuse()).contains("--tasks must be at least 1");
    assertThat(berth("demo", "--tasks", "many").misuse()).contains("'many'");
    assertThat(berth("demo", "--store", "paper").misuse()).contains("memory, postgres", "'paper'");
    assertThat(berth("demo", "--store", "memory", "--db", "postgres://h/d").misuse())
        .contains("exclude each other");
  }

  @Test
  void drawsOverTheSameTwoLinesOfATerminal() {
    var out = new StringWriter();
    try (var progress = new LiveProgress(new PrintWriter(out), new Terminal(60, true))) {
      progress.show(snapshot(0, 0));
      progress.show(snapshot(1_000, 10)); // too soon to draw again
      progress.last(snapshot(5_000, 2_000));
    }
    assertThat(out.toString().replace("\r\033[2K\033[1A\r\033[2K", "\n<over>\n").lines())
        .containsExactly(
            "░".repeat(30) + "   0 %  0 of 5,000",
            "0/s   in flight 100   retries 7   0.0 ms",
            "<over>",
            "█".repeat(30) + " 100 %  5,000 of 5,000",
            "2,500/s   in flight 100   retries 7   2.0 s");
  }

  @Test
  void neverWrapsALineOfANarrowTerminal() {
    var out = new StringWriter();
    try (var progress = new LiveProgress(new PrintWriter(out), new Terminal(20, false))) {
      progress.last(snapshot(2_500, 1_000));
    }
    assertThat(out.toString().lines()).allMatch(line -> line.length() < 20);
    assertThat(out.toString()).startsWith("#####.....");
  }

  private static void held(JsonNode limit) {
    assertThat(limit.propertyNames()).containsExactly("key", "slots", "peak");
    assertThat(limit.get("peak").asInt()).isBetween(1, limit.get("slots").asInt());
  }

  private static DemoSnapshot snapshot(long finished, long millis) {
    var stats = new WorkerStats(100, finished, finished, 7, 0, 0, 0, 0, 1, 0, 0);
    return new DemoSnapshot(5_000, 5_000, stats, Duration.ofMillis(millis));
  }
}
