package dev.berth.cli;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.Architectures.layeredArchitecture;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import picocli.CommandLine;

/** The direction of dependencies, between the packages of core and between modules. */
class ArchitectureTest {
  private static final JavaClasses BERTH =
      new ClassFileImporter()
          .withImportOption(new ImportOption.DoNotIncludeTests())
          .importPackages("dev.berth");

  /** Every module outside core, with the modules it may see besides core. */
  private static final Map<String, List<String>> MAY_SEE =
      Map.of(
          "memory", List.of(),
          "jackson", List.of(),
          "cron", List.of(),
          "testkit", List.of(),
          "embedded", List.of(),
          "postgres", List.of(),
          "config", List.of(),
          "benchmarks", List.of("memory", "jackson", "postgres", "embedded"),
          "examples", List.of("memory", "jackson", "cron", "postgres", "embedded"),
          "cli",
              List.of("memory", "jackson", "cron", "postgres", "embedded", "config", "benchmarks"));

  private static final List<String> MODULES = List.copyOf(MAY_SEE.keySet());

  @Test
  void packagesOfCorePointOneWay() {
    layeredArchitecture()
        .consideringOnlyDependenciesInLayers()
        .withOptionalLayers(true)
        .layer("value")
        .definedBy("dev.berth.value..")
        .layer("limit")
        .definedBy("dev.berth.limit..")
        .layer("task")
        .definedBy("dev.berth.task..")
        .layer("schedule")
        .definedBy("dev.berth.schedule..")
        .layer("view")
        .definedBy("dev.berth.view..")
        .layer("store")
        .definedBy("dev.berth.store..")
        .layer("worker")
        .definedBy("dev.berth.worker..")
        .layer("berth")
        .definedBy("dev.berth")
        .whereLayer("limit")
        .mayOnlyBeAccessedByLayers("task", "schedule", "view", "store", "worker", "berth")
        .whereLayer("task")
        .mayOnlyBeAccessedByLayers("schedule", "view", "store", "worker", "berth")
        .whereLayer("schedule")
        .mayOnlyBeAccessedByLayers("view", "store", "worker", "berth")
        .whereLayer("view")
        .mayOnlyBeAccessedByLayers("store", "worker", "berth")
        .whereLayer("store")
        .mayOnlyBeAccessedByLayers("worker", "berth")
        .whereLayer("worker")
        .mayOnlyBeAccessedByLayers("berth")
        .whereLayer("berth")
        .mayNotBeAccessedByAnyLayer()
        .check(BERTH);
  }

  @Test
  void coreSeesNoOtherModule() {
    noClasses()
        .that()
        .resideInAnyPackage(
            "dev.berth",
            "dev.berth.value..",
            "dev.berth.limit..",
            "dev.berth.task..",
            "dev.berth.schedule..",
            "dev.berth.view..",
            "dev.berth.store..",
            "dev.berth.worker..")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(packages(MODULES))
        .allowEmptyShould(true)
        .check(BERTH);
  }

  /** So that nothing of a task gets to the terminal as it is. */
  @Test
  void commandsAnswerThroughOneWriter() {
    noClasses()
        .that()
        .resideInAPackage("dev.berth.cli")
        .and()
        .doNotBelongToAnyOf(Output.class, Main.class, SqlWorkerCommand.class, ConfigOption.class)
        .should()
        .callMethod(CommandLine.class, "getOut")
        .orShould()
        .callMethod(CommandLine.class, "getErr")
        .check(BERTH);
  }

  @ParameterizedTest
  @FieldSource("MODULES")
  void aModuleSeesOnlyWhatItMay(String module) {
    List<String> hidden =
        MODULES.stream()
            .filter(other -> !other.equals(module) && !MAY_SEE.get(module).contains(other))
            .toList();
    noClasses()
        .that()
        .resideInAPackage("dev.berth." + module + "..")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(packages(hidden))
        .allowEmptyShould(true)
        .check(BERTH);
  }

  private static String[] packages(List<String> modules) {
    return modules.stream().map(module -> "dev.berth." + module + "..").toArray(String[]::new);
  }
}
