package dev.berth.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The architecture of the SQL: which file may use which, and how all of them are written. */
class SqlHouseTest {

  private static final int WIDTH = 130;
  private static final String INTERFACE = "api";
  private static final Path ROOT = Path.of("src/main/resources/dev/berth/postgres");
  private static final Path FUNCTIONS = ROOT.resolve("functions");

  private static final Pattern COMMENT = Pattern.compile("--.*$", Pattern.MULTILINE);
  private static final Pattern TEXT = Pattern.compile("'(?:[^']|'')*'");
  private static final Pattern NAME = Pattern.compile("\\bberth(?:_private)?\\.\\w+");
  private static final Pattern QUALIFIED_OPERATOR =
      Pattern.compile("operator\\(pg_catalog\\.[^)]+\\)");

  /** A call, a type or an operator without its schema. */
  private static final Pattern UNNAMED =
      Pattern.compile(
          "(?<![\\w.])(?!(?:coalesce|extract|array)\\()\\w+\\(|::(?!pg_catalog\\.)|[-+*/<>=~!@#%^&|]+");

  private static final Pattern DEFINED =
      Pattern.compile("create (?:function|procedure|view) (berth(?:_private)?\\.\\w+)");

  /** The code of each file, without comments, in the order in which they are created. */
  private final Map<String, String> files = new LinkedHashMap<>();

  /** Where each function and view is defined. */
  private final Map<String, String> homes = new TreeMap<>();

  SqlHouseTest() throws IOException {
    for (String file : Functions.files()) {
      String code = code(FUNCTIONS.resolve(file + ".sql"));
      files.put(file, code);
      DEFINED.matcher(code).results().forEach(found -> homes.put(found.group(1), file));
    }
  }

  @Test
  void theOrderNamesEveryFileOnceAndFolderByFolder() throws IOException {
    try (Stream<Path> all = Files.walk(FUNCTIONS)) {
      List<String> present =
          all.filter(path -> path.toString().endsWith(".sql"))
              .map(path -> FUNCTIONS.relativize(path).toString().replace(".sql", ""))
              .filter(file -> !file.equals("drop"))
              .toList();
      assertThat(Functions.files()).doesNotHaveDuplicates().hasSameElementsAs(present);
    }
    List<String> folders = new ArrayList<>();
    for (String file : files.keySet()) {
      if (folders.isEmpty() || !folders.getLast().equals(folder(file))) {
        folders.add(folder(file));
      }
    }
    assertThat(folders).as("folders, each in one piece").doesNotHaveDuplicates();
  }

  /** So neither files nor folders can form a cycle. */
  @Test
  void aFileUsesOnlyFilesBeforeIt() {
    List<String> order = List.copyOf(files.keySet());
    Set<String> wrong = new TreeSet<>();
    files.forEach((file, code) -> {
      for (String used : used(code)) {
        String home = homes.get(used);
        if (home != null && order.indexOf(home) > order.indexOf(file)) {
          wrong.add(file + " uses " + used + " of " + home);
        }
      }
    });
    assertThat(wrong).isEmpty();
  }

  @Test
  void theInterfaceIsInSchemaBerthAndNothingElse() {
    homes.forEach((name, file) ->
        assertThat(name.startsWith("berth."))
            .as("%s in %s", name, file)
            .isEqualTo(folder(file).equals(INTERFACE)));
  }

  @Test
  void nobodyCallsTheInterfaceFromBelow() {
    files.forEach((file, code) -> {
      if (!folder(file).equals(INTERFACE)) {
        assertThat(used(code))
            .as(file)
            .noneMatch(name -> homes.containsKey(name) && name.startsWith("berth."));
      }
    });
  }

  @Test
  void everyPrivateFunctionIsCalled() throws IOException {
    StringBuilder all = new StringBuilder();
    files.values().forEach(code -> all.append(DEFINED.matcher(code).replaceAll("")));
    try (Stream<Path> statements = Files.list(ROOT.resolve("statements"))) {
      for (Path statement : statements.toList()) {
        all.append(code(statement));
      }
    }
    Set<String> used = names(all.toString());
    assertThat(homes.keySet())
        .filteredOn(name -> name.startsWith("berth_private."))
        .isSubsetOf(used);
  }

  @Test
  void migrationsHaveNoFunctions() throws IOException {
    try (Stream<Path> migrations = Files.list(ROOT.resolve("migrations"))) {
      for (Path migration : migrations.toList()) {
        assertThat(code(migration))
            .as(migration.toString())
            .doesNotContainPattern("create (or replace )?(function|procedure|view|trigger)\\b");
      }
    }
  }

  /** Every role can take an advisory lock, and keep it. */
  @Test
  void nobodyWaitsForAnAdvisoryLock() {
    files.forEach((file, code) -> assertThat(code).as(file).doesNotContain("pg_advisory_"));
  }

  /**
   * They run with the path of the connection, which may be the application's own. In a schema that
   * others can write to, an exact match of theirs is called instead of what PostgreSQL has.
   */
  @Test
  void statementsNameWhatTheyCall() throws IOException {
    Set<String> wrong = new TreeSet<>();
    try (Stream<Path> all = Files.list(ROOT.resolve("statements"))) {
      for (Path file : all.toList()) {
        String code = TEXT.matcher(code(file)).replaceAll("''");
        code = QUALIFIED_OPERATOR.matcher(code).replaceAll(" ").replaceAll("select \\*|=>", " ");
        Matcher unnamed = UNNAMED.matcher(code);
        while (unnamed.find()) {
          wrong.add(file.getFileName() + " uses " + unnamed.group());
        }
      }
    }
    assertThat(wrong).isEmpty();
  }

  @Test
  void theNumberOfTheSchemaIsThatOfTheNewestMigration() {
    assertThat(files.get("constant/schema_number")).contains("select " + Migration.NEWEST + "\n");
  }

  @Test
  void allFilesHaveOneLayout() throws IOException {
    Set<String> wrong = new LinkedHashSet<>();
    try (Stream<Path> all = Files.walk(ROOT)) {
      for (Path file : all.filter(path -> path.toString().endsWith(".sql")).toList()) {
        if (file.endsWith("schema.sql")) {
          continue; // a dump
        }
        String text = Files.readString(file);
        List<String> lines = text.lines().toList();
        for (int i = 0; i < lines.size(); i++) {
          String line = lines.get(i);
          String place = ROOT.relativize(file) + ":" + (i + 1);
          if (line.length() > WIDTH) {
            wrong.add(place + " has more than " + WIDTH + " characters");
          }
          if (line.contains("\t") || line.endsWith(" ")) {
            wrong.add(place + " has a tab, or ends with a space");
          }
          if (COMMENT
              .matcher(TEXT.matcher(line).replaceAll("''"))
              .replaceAll("")
              .matches(
                  ".*\\b(SELECT|FROM|WHERE|BEGIN|END|IF|UPDATE|INSERT|DELETE|RETURNS?)\\b.*")) {
            wrong.add(place + " has a keyword in capitals");
          }
        }
        if (!text.endsWith("\n") || text.endsWith("\n\n") || text.contains("\n\n\n")) {
          wrong.add(
              ROOT.relativize(file) + " has blank lines in a row, or none or some at its end");
        }
      }
    }
    assertThat(wrong).isEmpty();
  }

  private static String code(Path file) throws IOException {
    return COMMENT.matcher(Files.readString(file)).replaceAll("");
  }

  /** What the code names, but for what it only says in texts. */
  private static Set<String> used(String code) {
    return names(TEXT.matcher(DEFINED.matcher(code).replaceAll("")).replaceAll("''"));
  }

  private static Set<String> names(String code) {
    Set<String> names = new TreeSet<>();
    Matcher name = NAME.matcher(code);
    while (name.find()) {
      names.add(name.group());
    }
    return names;
  }

  private static String folder(String file) {
    return file.substring(0, file.indexOf('/'));
  }
}
