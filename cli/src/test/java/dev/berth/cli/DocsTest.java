package dev.berth.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.store.Store;
import java.io.IOException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import picocli.CommandLine;

/** What the documentation names exists: files, headings, commands and their options. */
class DocsTest {
  private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
  private static final Pattern LINK = Pattern.compile("]\\(([^)\\s]+)\\)");
  private static final Pattern COMMAND = Pattern.compile("\\./berth((?: +[\\w-]+)+)");

  static List<Path> pages() throws IOException {
    try (Stream<Path> files = Files.walk(ROOT)) {
      return files
          .filter(file -> file.toString().endsWith(".md"))
          .filter(file -> !ROOT.relativize(file).toString().contains("target/"))
          .toList();
    }
  }

  @ParameterizedTest
  @MethodSource("pages")
  void linksLeadSomewhere(Path page) throws IOException {
    for (MatchResult link : all(LINK, Files.readString(page))) {
      if (!link.group(1).contains("://")) {
        String[] parts = link.group(1).split("#", 2);
        Path target = parts[0].isEmpty() ? page : page.resolveSibling(parts[0]);
        assertThat(target).exists();
        if (parts.length == 2) {
          assertThat(headings(target)).as(link.group(1)).contains(parts[1]);
        }
      }
    }
  }

  @ParameterizedTest
  @MethodSource("pages")
  void commandsAreKnown(Path page) throws IOException {
    for (MatchResult call : all(COMMAND, Files.readString(page))) {
      CommandLine command = Main.commandLine();
      for (String word : call.group(1).strip().split(" +", -1)) {
        if (command.getSubcommands().containsKey(word)) {
          command = command.getSubcommands().get(word);
        } else if (word.startsWith("--")) {
          assertThat(command.getCommandSpec().optionsMap()).as(call.group()).containsKey(word);
        } else {
          boolean takesNames = !command.getCommandSpec().positionalParameters().isEmpty();
          assertThat(takesNames || command.getSubcommands().isEmpty()).as(call.group()).isTrue();
        }
      }
    }
  }

  @Test
  void theExampleOfTheReadmeIsAProgram() throws IOException {
    String readme = Files.readString(ROOT.resolve("README.md"));
    String example = readme.split("```java\n", -1)[1].split("```", -1)[0];
    Path program = ROOT.resolve("examples/src/main/java/dev/berth/examples/ReadmeMain.java");
    List<String> lines = Files.readString(program).lines().map(String::strip).toList();
    assertThat(lines).containsAll(example.lines().map(String::strip).toList());
  }

  @Test
  void theVerbsOfTheSeamAreAllNamedAndCounted() throws IOException {
    String page = Files.readString(ROOT.resolve("docs/architecture.md"));
    String sentence = page.split("`Store` has ", -1)[1].split("besides `close`", -1)[0];
    List<String> named =
        all(Pattern.compile("`(\\w+)`"), sentence).stream().map(m -> m.group(1)).toList();
    assertThat(named)
        .containsExactlyInAnyOrderElementsOf(
            Stream.of(Store.class.getMethods())
                .filter(method -> Modifier.isAbstract(method.getModifiers()))
                .map(Method::getName)
                .filter(name -> !name.equals("close"))
                .toList());
    List<String> numbers = List.of("nine", "ten", "eleven", "twelve", "thirteen");
    assertThat(sentence).startsWith(numbers.get(named.size() - 9) + " verbs");
  }

  private static List<MatchResult> all(Pattern pattern, String text) {
    return pattern.matcher(text).results().toList();
  }

  /** The anchors of a page, as GitHub makes them. */
  private static List<String> headings(Path page) throws IOException {
    return Files.readString(page)
        .lines()
        .filter(line -> line.startsWith("#"))
        .map(line -> line.replaceFirst("#+ +", "").toLowerCase(Locale.ROOT))
        .map(line -> line.replaceAll("[^\\w -]", "").replace(' ', '-'))
        .toList();
  }
}
