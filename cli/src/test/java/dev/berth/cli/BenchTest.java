package dev.berth.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.benchmarks.MissedScenario;
import dev.berth.embedded.LocalPostgres;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class BenchTest {

  private static LocalPostgres server;

  @BeforeAll
  static void start() {
    server = LocalPostgres.start();
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  @Test
  void answersWithOneObject() {
    JsonNode json = Cli.berth("bench", "long-transaction", "--tiny", "--json").json();

    assertThat(json.propertyNames()).containsExactly("scenario", "ratios", "figures");
    assertThat(json.get("scenario").asString()).isEqualTo("long-transaction");
    assertThat(json.get("ratios").get("long_tx").asDouble()).isNotNegative();
    assertThat(json.get("figures").get("server").asString()).contains("PostgreSQL");
  }

  @Test
  void answersWithATableAndWhereTheServerSpentItsTime() {
    assertThat(bench("long-transaction", "--tiny", "--functions").text())
        .contains("server: PostgreSQL", "long_tx", ">= 0.80", "tasks/s")
        .containsPattern("FUNCTION +CALLS +SELF MS")
        .containsPattern("exchange +\\d+");
  }

  @Test
  void severalAnswerOneByOneAndTogether(@TempDir Path folder) {
    Cli called =
        bench("foreign", "submit", "--tiny", "--json", "--report", folder.resolve("to").toString());

    JsonMapper mapper = new JsonMapper();
    List<JsonNode> answers = called.text().lines().<JsonNode>map(mapper::readTree).toList();
    assertThat(answers)
        .extracting(answer -> answer.get("scenario").asString())
        .containsExactly("foreign", "submit", "foreign submit");
    JsonNode together = answers.getLast();
    assertThat(together.get("ratios").propertyNames())
        .contains("foreign_1m", "submit_vs_copy", "submit_scaling");
    assertThat(together.get("figures").get("submit").has("copy_per_s")).isTrue();
    assertThat(folder.resolve("to/performance.md")).isNotEmptyFile();
    assertThat(folder.resolve("to/performance.svg")).isNotEmptyFile();
    assertThat(folder.resolve("to/performance.html")).isNotEmptyFile();
  }

  @Test
  void namesTheScenariosThereAre() {
    assertThat(Cli.berth("bench", "speed").misuse())
        .contains("\"speed\"", "drain, submit, backlog", "slot-use", "all");
    assertThat(Cli.berth("bench", "--help").text())
        .contains("drain", "--quick", "--json", "--db", "--functions", "--report");
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
  void aMissedTargetIsAFailure() {
    assertThat(missed("--quick").exit()).isEqualTo(1);
    assertThat(missed("--quick").out()).contains("MISSED", "Missed: rate.");
    assertThat(missed("--tiny").exit()).as("nothing is measured").isZero();
  }

  private static Cli missed(String size) {
    var command = new CommandLine(new BenchCommand(List.of(new MissedScenario())));
    return Cli.call(command, "missed", size, "--db", server.jdbcUrl());
  }

  @Test
  void aServerThatIsNotThereIsOneSentence() {
    assertThat(Cli.berth("bench", "drain", "--db", "jdbc:postgresql://127.0.0.1:1/none").failure())
        .contains("127.0.0.1:1");
  }

  private static Cli bench(String... arguments) {
    String[] all = new String[arguments.length + 3];
    all[0] = "bench";
    System.arraycopy(arguments, 0, all, 1, arguments.length);
    all[all.length - 2] = "--db";
    all[all.length - 1] = server.jdbcUrl();
    return Cli.berth(all);
  }
}
