package dev.berth.mutants;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Plants each mutant and says whether the tests see it. */
final class Main {

  /** Green wherever the SQL can be loaded: where it cannot, all tests are red, and show nothing. */
  static final NamedTest LOADS_SQL =
      NamedTest.parse("postgres SchemaTest#theSecondMigrationHasNothingToDo");

  private final Path project = Path.of("").toAbsolutePath();
  private final List<String> only = new ArrayList<>();
  private final Set<String> failed = new LinkedHashSet<>();
  private int times = 1;
  private boolean list;

  private Main(String[] arguments) {
    for (int i = 0; i < arguments.length; i++) {
      switch (arguments[i]) {
        case "--times" -> times = Integer.parseInt(arguments[++i]);
        case "--only" -> only.add(arguments[++i]);
        case "--list" -> list = true;
        default -> throw new IllegalArgumentException("Unknown option " + arguments[i]);
      }
    }
  }

  public static void main(String[] arguments) throws IOException, InterruptedException {
    Main main = new Main(arguments);
    if (!main.allRed()) {
      System.exit(1);
    }
    Files.createDirectories(main.project.resolve("target"));
    Files.writeString(main.project.resolve("target/mutants.ok"), "for bin/mutants\n");
  }

  private boolean allRed() throws IOException, InterruptedException {
    List<Mutant> mutants = chosen();
    if (list) {
      mutants.forEach(mutant -> System.out.printf("%-28s %s%n", mutant.name(), mutant.sentence()));
      return true;
    }
    Workshop workshop = new Workshop(project);
    workshop.build(modules(mutants), mavenArguments());
    Set<NamedTest> tests = new LinkedHashSet<>();
    mutants.forEach(mutant -> tests.addAll(mutant.red()));
    if (mutants.stream().anyMatch(Mutant::changesSql)) {
      tests.add(LOADS_SQL);
    }
    for (NamedTest test : tests) { // one that fails anyway shows nothing
      expect(Verdict.GREEN, 1, "without", test, workshop, null);
    }
    for (Mutant mutant : mutants) {
      try {
        Workshop.Planted planted = workshop.plant(mutant);
        if (mutant.changesSql() && workshop.run(LOADS_SQL, planted) != Verdict.GREEN) {
          throw new IllegalArgumentException("The database does not take its SQL");
        }
        for (NamedTest test : mutant.red()) {
          expect(Verdict.RED, times, mutant.name(), test, workshop, planted);
        }
      } catch (IllegalArgumentException e) {
        tell(mutant.name(), "cannot be planted", e);
        failed.add(mutant.name());
      }
    }
    System.out.println(
        failed.isEmpty()
            ? "All %d mutants are red, in each of %d runs.".formatted(mutants.size(), times)
            : "Not as it must be: " + String.join(", ", failed));
    return failed.isEmpty();
  }

  private List<Mutant> chosen() throws IOException {
    List<Mutant> all = Mutant.readAll(project.resolve("mutants/list"));
    for (String name : only) {
      if (all.stream().noneMatch(mutant -> mutant.name().equals(name))) {
        throw new IllegalArgumentException("No mutant is named " + name + "; --list shows them");
      }
    }
    return all.stream().filter(mutant -> only.isEmpty() || only.contains(mutant.name())).toList();
  }

  private static Set<String> modules(List<Mutant> mutants) {
    Set<String> modules = new TreeSet<>();
    for (Mutant mutant : mutants) {
      modules.add(mutant.module());
      mutant.red().forEach(test -> modules.add(test.module()));
      if (mutant.changesSql()) {
        modules.add(LOADS_SQL.module());
      }
    }
    return modules;
  }

  /** As Maven itself reads them from version 3.9 on. */
  private static List<String> mavenArguments() {
    String arguments = System.getenv().getOrDefault("MAVEN_ARGS", "");
    return Stream.of(arguments.split(" ")).filter(each -> !each.isBlank()).toList();
  }

  private void expect(
      Verdict verdict,
      int runs,
      String name,
      NamedTest test,
      Workshop workshop,
      Workshop.@Nullable Planted planted)
      throws IOException, InterruptedException {
    List<String> found = new ArrayList<>();
    for (int i = 0; i < runs; i++) {
      found.add(workshop.run(test, planted).name().toLowerCase(Locale.ROOT));
    }
    tell(name, String.join(" ", found), test);
    if (found.stream().anyMatch(each -> !each.equalsIgnoreCase(verdict.name()))) {
      failed.add(name);
    }
  }

  private static void tell(String name, String verdicts, Object of) {
    System.out.printf("%-28s %-11s %s%n", name, verdicts, of);
  }
}
