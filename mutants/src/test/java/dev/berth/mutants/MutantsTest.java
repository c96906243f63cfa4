package dev.berth.mutants;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Every mutant can still be planted, and the tests that must see it exist. */
class MutantsTest {

  private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
  private static final String FILE = "core/src/main/java/dev/berth/worker/Throttle.java";

  static List<Mutant> all() throws IOException {
    return Mutant.readAll(ROOT.resolve("mutants/list"));
  }

  @ParameterizedTest
  @MethodSource("all")
  void canStillBePlanted(Mutant mutant) {
    assertThatCode(() -> mutant.plantedIn(ROOT)).as(mutant.name()).doesNotThrowAnyException();
    assertThat(mutant.changes())
        .as(mutant.name())
        .noneMatch(change -> change.text().equals(change.becomes()));
  }

  @ParameterizedTest
  @MethodSource("all")
  void thePageOfProofsNamesIt(Mutant mutant) {
    assertThat(read(ROOT.resolve("docs/proofs.md")))
        .contains("| `%s` | %s |".formatted(mutant.name(), mutant.sentence()));
  }

  @ParameterizedTest
  @MethodSource("all")
  void theTestsThatMustSeeItExist(Mutant mutant) throws IOException {
    for (NamedTest test : mutant.red()) {
      assertThat(sources(test.module() + "/src/test/java", test.type() + ".java")).hasSize(1);
      String text =
          test.part() == null
              ? sources(test.module() + "/src/test/java", test.type() + ".java").getFirst()
              : contract(test.part());
      assertThat(text).as(test.toString()).contains("void " + test.method() + "(");
    }
  }

  /** A mutant whose SQL no database takes makes every test red: the tool looks for that first. */
  @Test
  void theTestThatSqlCanBeLoadedExists() throws IOException {
    NamedTest test = Main.LOADS_SQL;
    assertThat(sources(test.module() + "/src/test/java", test.type() + ".java"))
        .singleElement()
        .asString()
        .contains("void " + test.method() + "(");
    assertThat(all().stream().filter(Mutant::changesSql)).isNotEmpty().doesNotHaveDuplicates();
  }

  /** The text of the contract that the nested class of this name runs. */
  private static String contract(String part) throws IOException {
    String all = sources("testkit/src/main/java", "StoreContract.java").getFirst();
    String name = all.split("class " + part + " extends ", 2)[1].split(" ", 2)[0];
    return sources("testkit/src/main/java", name + ".java").getFirst();
  }

  private static List<String> sources(String folder, String name) throws IOException {
    try (Stream<Path> files = Files.walk(ROOT.resolve(folder))) {
      return files.filter(file -> file.endsWith(name)).map(MutantsTest::read).toList();
    }
  }

  private static String read(Path file) {
    return Assertions.assertDoesNotThrow(() -> Files.readString(file));
  }

  @ParameterizedTest
  @ValueSource(strings = {"no such text", "latency", ""})
  void textThatDoesNotStandThereOnceIsAnError(String text) {
    Mutant mutant =
        mutant("Wrong.", "red: core PressureTest#asks", "--- " + FILE, text, "--- becomes");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> mutant.plantedIn(ROOT))
        .withMessageContaining(FILE);
  }

  @Test
  void severalChangesOfAFileAreMadeOneAfterTheOther() throws IOException {
    Mutant mutant =
        mutant(
            "Wrong.",
            "red: core PressureTest#asks",
            "--- " + FILE,
            "final class Throttle {",
            "--- becomes",
            "final class Brake {",
            "--- " + FILE,
            "final class Brake {",
            "--- becomes",
            "// one",
            "// two");
    assertThat(mutant.plantedIn(ROOT).values())
        .singleElement()
        .asString()
        .contains("// one\n// two");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "Wrong.",
        "Wrong.|red: core Test",
        "Wrong.|red: core ATest#a",
        "Wrong.|red: core ATest#a|--- README.md|x|--- becomes",
        "Wrong.|red: core ATest#a|--- core/src/main/java/A.java|x",
        "Wrong.|--- core/src/main/java/A.java|x|--- becomes",
        "red: core ATest#a|--- core/src/main/java/A.java|x|--- becomes",
      })
  void aFileThatIsNoMutantIsAnError(String lines) {
    assertThatIllegalArgumentException().isThrownBy(() -> mutant(lines.split("\\|", -1)));
  }

  private static Mutant mutant(String... lines) {
    return Mutant.parse("name", List.of(lines));
  }

  @ParameterizedTest
  @CsvSource({
    "Sample#succeeds, GREEN",
    "Sample#fails, RED",
    "Sample$Part#fails, RED",
    "Sample$Part#succeeds, GREEN",
    "Sample$Part#isNotThere, BROKEN",
    "Sample#isNotThere, BROKEN",
  })
  void aTestIsRedWhereItFailsAndGreenWhereItSucceeds(String test, Verdict verdict) {
    NamedTest named = NamedTest.parse("mutants " + test);
    PrintWriter nowhere = new PrintWriter(Writer.nullWriter());
    assertThat(TestMain.run(Sample.class.getName(), named, nowhere)).isEqualTo(verdict);
    assertThat(Verdict.ofExit(verdict.exit())).isEqualTo(verdict);
  }

  /** With 1 ends a JVM that did not start, which shows nothing about a test. */
  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2, 137, 143})
  void aProcessThatGaveNoVerdictIsNeitherRedNorGreen(int exit) {
    assertThat(Verdict.ofExit(exit)).isEqualTo(Verdict.BROKEN);
  }

  @SuppressWarnings("unused") // found by its annotations
  static class Sample {
    @Test
    void succeeds() {}

    @Test
    void fails() {
      throw new AssertionError("on purpose");
    }

    @Nested
    class Part {
      @Test
      void succeeds() {}

      @Test
      void fails() {
        throw new AssertionError("on purpose");
      }
    }
  }
}
