package dev.berth.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The tests that the page of proofs names exist, and every promise and trap has its row. */
class ProofsTest {

  private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
  private static final Pattern NAMED = Pattern.compile("`(\\w+(?:Test|Contract))\\.(\\w+)`");
  private static final Pattern PROPERTY =
      Pattern.compile("\\.get\\w+\\(\\s*\"(berth\\.(?!test\\.)[\\w-]+)\"");
  private static final Pattern METHOD =
      Pattern.compile(
          "@(?:Test|ParameterizedTest)\\b(?:(?!@Test|@ParameterizedTest|\\bvoid\\b).)*\\bvoid"
              + " (\\w+)\\(",
          Pattern.DOTALL);

  private static String page() throws IOException {
    return Files.readString(ROOT.resolve("docs/proofs.md"));
  }

  @Test
  void theNamedTestsExist() throws IOException {
    Map<String, String> sources = sources();
    List<MatchResult> named = NAMED.matcher(page()).results().toList();
    assertThat(named).hasSizeGreaterThan(50);
    for (MatchResult test : named) {
      assertThat(sources).containsKey(test.group(1));
      List<String> methods =
          METHOD.matcher(sources.get(test.group(1))).results().map(m -> m.group(1)).toList();
      assertThat(methods).as(test.group()).contains(test.group(2));
    }
  }

  @Test
  void everyPromiseAndTrapHasARow() throws IOException {
    List<String> rows = page().lines().toList();
    Stream<String> names =
        Stream.concat(
            IntStream.rangeClosed(1, 9).mapToObj(number -> "P" + number),
            IntStream.rangeClosed(1, 16).mapToObj(number -> "F" + number));
    names.forEach(
        name -> assertThat(rows).filteredOn(row -> row.startsWith("| " + name + " |")).hasSize(1));
  }

  /** What makes a proof longer is of no use to those who do not know of it. */
  @Test
  void everyPropertyOfATestIsNamed() throws IOException {
    String page = page() + Files.readString(ROOT.resolve("CONTRIBUTING.md"));
    try (Stream<Path> files = Files.walk(ROOT)) {
      for (Path file : (Iterable<Path>) files.filter(ProofsTest::isTestCode)::iterator) {
        for (MatchResult read : PROPERTY.matcher(Files.readString(file)).results().toList()) {
          assertThat(page).as(file.toString()).contains("-D" + read.group(1));
        }
      }
    }
  }

  private static boolean isTestCode(Path file) {
    return file.toString().matches(".*/(src/test|testkit/src/main)/java/.*\\.java");
  }

  /** The text of each class of tests, by its simple name; two may have the same. */
  private static Map<String, String> sources() throws IOException {
    Map<String, String> sources = new HashMap<>();
    try (Stream<Path> files = Files.walk(ROOT)) {
      for (Path file : (Iterable<Path>) files.filter(ProofsTest::isOfTests)::iterator) {
        String name = file.getFileName().toString().replace(".java", "");
        sources.merge(name, Files.readString(file), String::concat);
      }
    }
    return sources;
  }

  private static boolean isOfTests(Path file) {
    return file.toString().matches(".*/src/\\w+/java/.*(Test|Contract)\\.java");
  }
}
