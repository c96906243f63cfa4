package dev.berth.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.berth.limit.LimitKey;
import dev.berth.worker.FileLimits;
import dev.berth.worker.FileTopics;
import dev.berth.worker.FileTopics.Said;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class BerthTomlTest {

  @TempDir Path folder;

  @Test
  void readsEveryValueAsText() {
    BerthToml toml =
        BerthToml.read(
            "berth.toml",
            """
            # The shop's workers
            store.url = "jdbc:postgresql://db/shop"

            [worker]
            name = "packing"
            max_concurrent_tasks = 200
            memory_threshold = 0.7
            wake_ups = false
            """);
    assertThat(toml.storeUrl()).contains("jdbc:postgresql://db/shop");
    assertThat(toml.values())
        .containsEntry("worker.name", "packing")
        .containsEntry("worker.max_concurrent_tasks", "200")
        .containsEntry("worker.memory_threshold", "0.7")
        .containsEntry("worker.wake_ups", "false")
        .hasSize(5);
  }

  @Test
  void readsTheNumbersOfLimits() {
    BerthToml toml =
        BerthToml.read(
            "berth.toml",
            """
            [limits]
            "type/send_email" = 20
            "limit/eu.west gpu" = 0
            "type/import/customer" = 2
            """);
    assertThat(FileLimits.of(toml.values()).slots())
        .containsOnly(
            Map.entry(LimitKey.ofType("send_email"), 20),
            Map.entry(LimitKey.shared("eu.west gpu"), 0),
            Map.entry(LimitKey.ruleOf("import", "customer"), 2));
  }

  @Test
  void readsTopicsAndTheRunner() {
    BerthToml toml =
        BerthToml.read(
            "berth.toml",
            """
            [sql]
            runner = "jdbc:postgresql://db/shop?user=berth_runner"
            reserve_connections = 10

            [topics]
            retry_count = 1

            [topics.reports]
            max_parallel = 2
            delay_ms = 1000

            [topics."mail.v2"]
            retry_count = 3
            """);
    assertThat(toml.sqlRunner()).contains("jdbc:postgresql://db/shop?user=berth_runner");
    assertThat(toml.sqlReserve()).contains("10");
    assertThat(FileTopics.of(toml.values()).topics())
        .containsOnly(
            Map.entry("", new Said(null, 1, null)),
            Map.entry("reports", new Said(2, null, 1000)),
            Map.entry("mail.v2", new Said(null, 3, null)));
  }

  @Test
  void anEmptyFileSaysNothing() {
    assertThat(BerthToml.read("berth.toml", "[worker]\n")).isEqualTo(BerthToml.EMPTY);
  }

  @Test
  void readsAFile() throws Exception {
    Path file = Files.writeString(folder.resolve("berth.toml"), "store.url = 'memory:'");
    assertThat(BerthToml.read(file).storeUrl()).contains("memory:");
  }

  @Test
  void namesAFileThatIsNotThere() {
    Path file = folder.resolve("none.toml");
    assertThatThrownBy(() -> BerthToml.read(file))
        .isInstanceOf(ConfigException.class)
        .hasMessage("There is no file " + file);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      textBlock =
          """
          worker.max_concurrent_task = 5 | line 3: there is no setting worker.max_concurrent_task; did you mean worker.max_concurrent_tasks?
          store.ulr = "x"                | line 3: there is no setting store.ulr; did you mean store.url?
          wroker.name = "x"              | line 3: there is no setting wroker.name; did you mean worker.name?
          [wroker]                       | line 3: there is no table [wroker]; did you mean [worker]?
          worker = 5                     | line 3: there is no setting worker; did you mean worker.name?
          worker.claim_batch_size = [5]  | line 3: worker.claim_batch_size must be a text, a number, or true or false
          worker.claim_batch_size = 0    | line 3: worker.claim_batch_size must be a whole number from 1 to 10000, but it is "0"
          worker.wake_ups = "perhaps"    | line 3: worker.wake_ups must be true or false, but it is "perhaps"
          worker.name =                  | line 3: Unexpected
          limits."mail" = 5              | line 3: limits.mail has a wrong name: "mail" is not a limit key: expected limit/NAME, topic/NAME, schedule/NAME, type/TYPE
          limits."limit/a.b" = -1        | line 3: limits.limit/a.b must be a whole number of slots from 0 to 1000000, but it is "-1"
          limits."limit/gpu" = "many"    | line 3: limits.limit/gpu must be a whole number of slots from 0 to 1000000, but it is "many"
          limits."limit/gpu" = 1.5       | line 3: limits.limit/gpu must be a whole number of slots from 0 to 1000000, but it is "1.5"
          limits."type/a/b/7" = 5        | line 3: limits.type/a/b/7 is for one value only: a file can have the number for all of them, type/a/b;
          limits."topic/a" = 5           | line 3: limits.topic/a is a topic: its number is max_parallel in a table of its own
          limits.limit.gpu = 5           | line 3: there is no setting limits.limit.gpu
          [limit]                        | line 3: there is no table [limit]; did you mean [limits]?
          topics.reports.slots = 2       | line 3: topics.reports.slots is no setting of a topic: use max_parallel, retry_count or delay_ms
          topics."a.b".retry_count = -1  | line 3: topics.a.b.retry_count must be a whole number from 0 to 1000, but it is "-1"
          topics.a.b.retry_count = 1     | line 3: there is no setting topics.a.b.retry_count
          [topic]                        | line 3: there is no table [topic]; did you mean [topics]?
          sql.reserve_connections = "x"  | line 3: sql.reserve_connections must be a whole number from 0 to 9999, but it is "x"
          sql.runer = "x"                | line 3: there is no setting sql.runer; did you mean sql.runner?
          """)
  void namesFileLineAndKeyOfAMistake(String line, String error) {
    assertThatThrownBy(() -> BerthToml.read("shop/berth.toml", "# first\n\n" + line + "\n"))
        .isInstanceOf(ConfigException.class)
        .hasMessageStartingWith("shop/berth.toml, " + error);
  }
}
