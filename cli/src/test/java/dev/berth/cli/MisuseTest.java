package dev.berth.cli;

import static dev.berth.cli.Cli.berth;
import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.task.TaskId;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;

/**
 * Whoever calls the command wrongly gets exit code 2; what fails for another reason ends with 1.
 */
class MisuseTest {

  private static final String NOBODY_THERE = "postgres://me:secret@127.0.0.1:1/shop";

  /** What to say where a command must be told something. */
  private static final Map<String, String> SAMPLES =
      Map.of(
          "ID", TaskId.next().toString(),
          "KEY", "limit/gpu",
          "NAME", "nightly",
          "SLOT", "1",
          "STATEMENT", "select 1",
          "N", "1",
          "<type>", "mail");

  @TempDir Path folder;

  /** Every command that does something, as one writes it. */
  static Stream<List<String>> commands() {
    return leaves(Main.commandLine().getCommandSpec(), List.of());
  }

  private static Stream<List<String>> leaves(CommandSpec command, List<String> words) {
    Stream<List<String>> below =
        command.subcommands().entrySet().stream()
            .flatMap(each -> leaves(each.getValue().getCommandSpec(), plus(words, each.getKey())));
    boolean group = command.userObject() instanceof CommandGroup;
    return group ? below : Stream.concat(Stream.of(words), below);
  }

  /** Those that work on the database which they are told. */
  static Stream<List<String>> commandsOnADatabase() {
    return commands()
        .filter(words -> !List.of("demo", "bench").contains(words.getFirst()))
        .map(MisuseTest::wholeCall);
  }

  @Test
  void allCommandsAreTried() {
    assertThat(commands())
        .hasSizeGreaterThan(30)
        .contains(List.of("limit", "set"), List.of("audit"));
  }

  @ParameterizedTest
  @MethodSource("commands")
  void anUnknownOptionIsMisuseAndItsValueIsNotRepeated(List<String> command) {
    String said = call(command, "--nonsense", NOBODY_THERE).misuse();
    assertThat(said).startsWith("berth: ").doesNotContain("secret").contains("--help'.");
  }

  @ParameterizedTest
  @MethodSource("commandsOnADatabase")
  void aUrlThatIsNoneIsMisuse(List<String> call) {
    assertThat(call(call, "--db", "mysql://me:secret@h/d").misuse())
        .contains("is not the URL of a PostgreSQL database", "--help'.")
        .doesNotContain("secret");
  }

  @ParameterizedTest
  @MethodSource("commandsOnADatabase")
  void aFileWithAMistakeIsMisuse(List<String> call) throws IOException {
    Path file = Files.writeString(folder.resolve("berth.toml"), "[store]\nulr = 'x'\n");
    assertThat(call(call, "--config", file.toString()).misuse()).contains("line 2", "store.ulr");
  }

  @Test
  void soIsAFileThatIsNotThere() {
    assertThat(berth("audit", "--config", folder.resolve("none").toString()).misuse())
        .contains("There is no file");
  }

  @ParameterizedTest
  @MethodSource("commandsOnADatabase")
  void aDatabaseThatIsAwayIsAFailure(List<String> call) {
    assertThat(call(call, "--db", NOBODY_THERE).failure())
        .contains("127.0.0.1:1")
        .doesNotContain("secret");
  }

  /** Whatever can be told to be wrong is misuse before anybody is asked. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "task list --most 0",
        "task list --most 10001",
        "task list --state sleeping",
        "task list --type \u0007",
        "queue pause \u001b",
        "limit set limit/gpu --slots -1",
        "limit set limit/gpu --slots 1 --for PT0S",
        "limit set limit/gpu --slots 1 --for PT99999999999999H",
        "limit status gpu",
        "workflow \u009b",
        "workflow skip order \u0007",
        "schedule add nightly --type mail",
        "schedule add nightly --type mail --every 1s --zone UTC",
        "schedule add nightly --type mail --every 1s --cron 0_3_*_*_*",
        "schedule add nightly --type mail --every 1ms",
        "schedule add nightly --type mail --every 1s --payload {",
        "schedule add nightly --type mail --every 1s --priority 10",
        "schedule add nightly --type mail --every 1s --limit gpu=1",
        "schedule show nightly --next 0",
        "schedule show nightly --next 1001",
        "schedule pause \u0007",
        "launch select --priority 10",
        "launch select --timeout PT0S",
        "launch select --topic \u0007",
        "topic set reports",
        "audit gpu",
        "audit --since yesterday",
        "worker sql",
        "demo --tasks 0",
        "bench nonsense",
        "nonsense"
      })
  void aWrongValueIsMisuse(String call) {
    List<String> words = Arrays.stream(call.split(" ")).map(w -> w.replace('_', ' ')).toList();
    boolean onADatabase = !List.of("demo", "bench", "nonsense").contains(words.getFirst());
    assertThat((onADatabase ? call(words, "--db", NOBODY_THERE) : call(words)).misuse())
        .startsWith("berth: ")
        .doesNotContain("\u001b", "\u0007", "\u009b");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "postgres://me:secret@h/d",
        "postgres://me:sec ret's@h/d",
        "--dp=postgres://me:secret/@h/d",
        "jdbc:postgresql://h/d?user=me&password=secret&ssl=true"
      })
  void noPasswordIsEverRepeated(String typed) {
    assertThat(berth("task", "list", typed).misuse()).doesNotContain("sec").contains("//");
    assertThat(berth("task", "list", "--most", typed).misuse()).doesNotContain("sec");
    assertThat(berth(typed).misuse()).doesNotContain("sec");
  }

  private static Cli call(List<String> words, String... more) {
    return berth(Stream.concat(words.stream(), Stream.of(more)).toArray(String[]::new));
  }

  /** The command with all that it asks for. */
  private static List<String> wholeCall(List<String> words) {
    CommandLine command = Main.commandLine();
    for (String word : words) {
      command = command.getSubcommands().get(word);
    }
    List<String> call = new ArrayList<>(words);
    command.getCommandSpec().positionalParameters().stream()
        .filter(each -> each.arity().min() > 0)
        .forEach(each -> call.add(sample(each)));
    command.getCommandSpec().options().stream()
        .filter(ArgSpec::required)
        .forEach(each -> call.addAll(List.of(each.longestName(), sample(each))));
    return switch (String.join(" ", words)) {
      case "schedule add" -> plus(call, "--every", "10s");
      case "topic set" -> plus(call, "--max-parallel", "2");
      case "worker sql" -> plus(call, "--runner", NOBODY_THERE);
      default -> call;
    };
  }

  private static String sample(ArgSpec asked) {
    assertThat(SAMPLES).containsKey(asked.paramLabel());
    return SAMPLES.get(asked.paramLabel());
  }

  private static List<String> plus(List<String> words, String... more) {
    return Stream.concat(words.stream(), Stream.of(more)).toList();
  }
}
