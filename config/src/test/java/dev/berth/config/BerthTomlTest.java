package dev.berth.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
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
          """)
  void namesFileLineAndKeyOfAMistake(String line, String error) {
    assertThatThrownBy(() -> BerthToml.read("shop/berth.toml", "# first\n\n" + line + "\n"))
        .isInstanceOf(ConfigException.class)
        .hasMessageStartingWith("shop/berth.toml, " + error);
  }
}
