package dev.berth.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

class BenchTest {

  @Test
  void answersWithOneObject() {
    JsonNode json = Cli.berth("bench", "long-transaction", "--tiny", "--json").json();

    assertThat(json.propertyNames()).containsExactly("scenario", "ratios", "figures");
    assertThat(json.get("scenario").asString()).isEqualTo("long-transaction");
    assertThat(json.get("ratios").get("long_tx").asDouble()).isNotNegative();
    assertThat(json.get("figures").get("server").asString()).contains("PostgreSQL");
  }

  @Test
  void answersWithATable() {
    assertThat(Cli.berth("bench", "long-transaction", "--tiny").text())
        .contains("server: PostgreSQL", "long_tx", ">= 0.80", "tasks/s");
  }

  @Test
  void tellsWhereTheServerSpentItsTime() {
    assertThat(Cli.berth("bench", "long-transaction", "--tiny", "--functions").text())
        .containsPattern("FUNCTION +CALLS +SELF MS")
        .containsPattern("exchange +\\d+");
  }

  @Test
  void namesTheScenariosThereAre() {
    assertThat(Cli.berth("bench", "speed").misuse())
        .contains("\"speed\"", "drain, latency, long-transaction, foreign", "slot-use");
    assertThat(Cli.berth("bench", "--help").text())
        .contains("drain", "--quick", "--json", "--db", "--functions");
  }

  @Test
  void saysWhereThePeersAreToBeHad() {
    assertThat(Cli.berth("bench", "peers").failure())
        .contains("not part of the command", "./berth bench peers");
  }

  @Test
  void plansAreWrittenWhereTheyAreWanted(@TempDir Path folder) {
    JsonNode json =
        Cli.berth("bench", "plans", "--tiny", "--json", "--plans", folder.toString()).json();

    assertThat(json.get("ratios").propertyNames())
        .contains("rows_baseline_finish", "pages_all_limited_behind");
    assertThat(folder.resolve("one-limited-hand-on.txt"))
        .content()
        .startsWith("# one-limited-hand-on\n# 20,000 tasks of 100 types wait")
        .contains("using task_lane on task", "Buffers: shared hit=");
  }

  @Test
  void aServerThatIsNotThereIsOneSentence() {
    assertThat(Cli.berth("bench", "drain", "--db", "jdbc:postgresql://127.0.0.1:1/none").failure())
        .contains("127.0.0.1:1");
  }
}
