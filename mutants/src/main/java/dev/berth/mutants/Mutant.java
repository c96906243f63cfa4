package dev.berth.mutants;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * A bug to plant, from a file of its own:
 *
 * <pre>
 * What is wrong then, in a sentence.
 * red: MODULE TestClass#method
 * --- MODULE/src/main/java/the/File.java
 * text that stands there once
 * --- becomes
 * other text, or none
 * </pre>
 *
 * <p>There may be several tests, each of which must fail, and several changes of one module.
 *
 * @param name that of its file
 */
record Mutant(String name, String sentence, List<NamedTest> red, List<Change> changes) {

  private static final String RED = "red: ";
  private static final String CHANGE = "--- ";
  private static final String BECOMES = "--- becomes";

  /** Text of a file that becomes another. */
  record Change(SourceFile file, String text, String becomes) {

    String plantedIn(String content) {
      int at = content.indexOf(text);
      if (text.isEmpty() || at < 0 || content.indexOf(text, at + 1) >= 0) {
        throw new IllegalArgumentException(
            "This text stands %s in %s:%n%s"
                .formatted(at < 0 ? "nowhere" : "more than once", file, text));
      }
      return content.substring(0, at) + becomes + content.substring(at + text.length());
    }
  }

  Mutant {
    if (sentence.isEmpty() || red.isEmpty() || changes.isEmpty()) {
      throw new IllegalArgumentException("No sentence, no test that must fail, or no change");
    }
    if (changes.stream().map(change -> change.file().module()).distinct().count() > 1) {
      throw new IllegalArgumentException("Changes of more than one module");
    }
  }

  static List<Mutant> readAll(Path folder) throws IOException {
    List<Mutant> all = new ArrayList<>();
    try (Stream<Path> files = Files.list(folder)) {
      for (Path file : files.sorted().toList()) {
        String name = file.getFileName().toString().replaceFirst("\\.txt$", "");
        try {
          all.add(parse(name, Files.readAllLines(file)));
        } catch (IllegalArgumentException e) {
          throw new IllegalArgumentException(file + ": " + e.getMessage(), e);
        }
      }
    }
    return all;
  }

  static Mutant parse(String name, List<String> lines) {
    int head = next(lines, 0);
    List<NamedTest> red =
        lines.subList(0, head).stream()
            .filter(line -> line.startsWith(RED))
            .map(line -> NamedTest.parse(line.substring(RED.length())))
            .toList();
    List<String> sentence =
        lines.subList(0, head).stream().filter(line -> !line.startsWith(RED)).toList();
    List<Change> changes = new ArrayList<>();
    for (int at = head; at < lines.size(); ) {
      SourceFile file = SourceFile.parse(lines.get(at).substring(CHANGE.length()));
      int becomes = next(lines, at + 1);
      if (becomes == lines.size() || !lines.get(becomes).equals(BECOMES)) {
        throw new IllegalArgumentException("No line \"" + BECOMES + "\" for " + file);
      }
      int end = next(lines, becomes + 1);
      changes.add(new Change(file, text(lines, at + 1, becomes), text(lines, becomes + 1, end)));
      at = end;
    }
    return new Mutant(name, String.join(" ", sentence).strip(), red, changes);
  }

  private static int next(List<String> lines, int from) {
    int at = from;
    while (at < lines.size() && !lines.get(at).startsWith(CHANGE)) {
      at++;
    }
    return at;
  }

  private static String text(List<String> lines, int from, int to) {
    return String.join("\n", lines.subList(from, to));
  }

  boolean changesSql() {
    return changes.stream().anyMatch(change -> change.file().path().endsWith(".sql"));
  }

  String module() {
    return changes.getFirst().file().module();
  }

  /** The changed files; an error where one of the texts does not stand there once. */
  Map<SourceFile, String> plantedIn(Path project) throws IOException {
    Map<SourceFile, String> files = new LinkedHashMap<>();
    for (Change change : changes) {
      SourceFile file = change.file();
      String before =
          files.containsKey(file) ? files.get(file) : Files.readString(file.in(project));
      files.put(file, change.plantedIn(before));
    }
    return files;
  }
}
