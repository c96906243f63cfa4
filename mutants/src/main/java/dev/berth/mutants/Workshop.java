package dev.berth.mutants;

import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import javax.tools.ToolProvider;
import org.jspecify.annotations.Nullable;

/**
 * Where bugs are planted and tests run. No source is touched: the compiled module of a mutant is
 * copied to {@code target/mutants}, what the mutant changes goes into the copy, and the copy stands
 * in the place of the module while the tests run.
 */
final class Workshop {

  private static final int MOST_MINUTES_OF_A_BUILD = 60;
  private static final int MOST_MINUTES_OF_A_TEST = 5;
  private static final String CLASS_PATH = "target/mutants.classpath";

  private final Path project;
  private final Path folder;
  private final Path log;

  /** A compiled module with a bug. */
  record Planted(String module, Path classes) {}

  Workshop(Path project) throws IOException {
    this.project = project;
    this.folder = project.resolve("target/mutants");
    this.log = project.resolve("target/mutants.log");
    Files.createDirectories(folder);
    Files.deleteIfExists(log);
  }

  /** Compiles these modules with their tests, and learns their class paths. */
  void build(Collection<String> modules, List<String> mavenArguments)
      throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(List.of("mvn", "-B", "-ntp"));
    command.addAll(mavenArguments);
    command.addAll(List.of("-pl", String.join(",", modules), "-am"));
    command.addAll(List.of("test-compile", "dependency:build-classpath"));
    command.add("-Dmdep.outputFile=" + CLASS_PATH);
    if (run(command, project, MOST_MINUTES_OF_A_BUILD) != 0) {
      throw new IllegalStateException("The project does not compile, see " + log);
    }
  }

  Planted plant(Mutant mutant) throws IOException {
    Path sources = folder.resolve(mutant.name() + "/java");
    Path classes = folder.resolve(mutant.name() + "/classes");
    delete(folder.resolve(mutant.name()));
    copy(classes(mutant.module()), classes);
    List<String> compiled = new ArrayList<>();
    for (var changed : mutant.plantedIn(project).entrySet()) {
      SourceFile file = changed.getKey();
      Path target = (file.compiled() ? sources : classes).resolve(file.path());
      Files.createDirectories(target.getParent());
      Files.writeString(target, changed.getValue());
      if (file.compiled()) {
        compiled.add(target.toString());
      }
    }
    if (!compiled.isEmpty()) {
      compile(compiled, classes, libraries(mutant.module()));
    }
    return new Planted(mutant.module(), classes);
  }

  private void compile(List<String> files, Path classes, String libraries) throws IOException {
    List<String> arguments =
        new ArrayList<>(List.of("--release", "21", "-parameters", "-proc:none"));
    arguments.addAll(List.of("-cp", classes + File.pathSeparator + libraries));
    arguments.addAll(List.of("-d", classes.toString()));
    arguments.addAll(files);
    try (OutputStream out =
        Files.newOutputStream(log, StandardOpenOption.CREATE, StandardOpenOption.APPEND)) {
      int exit =
          ToolProvider.getSystemJavaCompiler()
              .run(null, out, out, arguments.toArray(String[]::new));
      if (exit != 0) {
        throw new IllegalArgumentException("It does not compile, see " + log);
      }
    }
  }

  /** Runs a test, with a bug or without. */
  Verdict run(NamedTest test, @Nullable Planted planted) throws IOException, InterruptedException {
    Path module = project.resolve(test.module());
    List<String> path = new ArrayList<>();
    path.add(module.resolve("target/test-classes").toString());
    path.add(classes(test.module()).toString());
    path.addAll(List.of(libraries(test.module()).split(File.pathSeparator)));
    path.add(System.getProperty("java.class.path"));
    if (planted != null) {
      path.replaceAll(entry ->
          entry.equals(classes(planted.module()).toString())
              ? planted.classes().toString()
              : entry);
    }
    List<String> command =
        List.of(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-Dberth.test.oldest-postgres=" + module.resolve("target/oldest-postgres.jar"),
            "-cp",
            String.join(File.pathSeparator, path),
            TestMain.class.getName(),
            className(test),
            test.toString());
    return Verdict.ofExit(run(command, module, MOST_MINUTES_OF_A_TEST));
  }

  private int run(List<String> command, Path directory, int minutes)
      throws IOException, InterruptedException {
    Process process =
        new ProcessBuilder(command)
            .directory(directory.toFile())
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()))
            .start();
    if (process.waitFor(minutes, TimeUnit.MINUTES)) {
      return process.exitValue();
    }
    process.descendants().forEach(ProcessHandle::destroyForcibly);
    process.destroyForcibly().waitFor();
    return Verdict.BROKEN.exit();
  }

  private Path classes(String module) {
    return project.resolve(module).resolve("target/classes");
  }

  private String libraries(String module) throws IOException {
    return Files.readString(project.resolve(module).resolve(CLASS_PATH)).strip();
  }

  private String className(NamedTest test) throws IOException {
    Path classes = project.resolve(test.module()).resolve("target/test-classes");
    try (Stream<Path> files = Files.walk(classes)) {
      return files
          .filter(file -> file.endsWith(test.type() + ".class"))
          .map(file -> classes.relativize(file).toString().replace(File.separatorChar, '.'))
          .map(name -> name.substring(0, name.length() - ".class".length()))
          .findFirst()
          .orElseThrow(() -> new IllegalArgumentException("There is no class of " + test));
    }
  }

  private static void copy(Path from, Path to) throws IOException {
    try (Stream<Path> files = Files.walk(from)) {
      for (Path file : files.toList()) {
        Path target = to.resolve(from.relativize(file).toString());
        Files.createDirectories(target.getParent());
        Files.copy(file, target);
      }
    }
  }

  private static void delete(Path tree) throws IOException {
    if (Files.exists(tree)) {
      try (Stream<Path> files = Files.walk(tree)) {
        for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
          Files.delete(file);
        }
      }
    }
  }
}
