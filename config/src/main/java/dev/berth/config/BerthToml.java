package dev.berth.config;

import dev.berth.worker.FileLimits;
import dev.berth.worker.FileTopics;
import dev.berth.worker.WorkerSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeSet;
import org.tomlj.Toml;
import org.tomlj.TomlParseError;
import org.tomlj.TomlParseResult;
import org.tomlj.TomlPosition;

/**
 * Settings from a file in TOML:
 *
 * <pre>{@code
 * [store]
 * url = "jdbc:postgresql://localhost/shop?user=shop"
 *
 * [worker]
 * max_concurrent_tasks = 200
 *
 * [limits]
 * "type/send_email" = 20
 *
 * [topics.reports]
 * max_parallel = 2
 * }</pre>
 *
 * <p>A mistake in it is a {@link ConfigException} that names the file, the line and the key.
 *
 * @param values every value as text under its dotted key, as {@code WorkerBuilder.settings} takes
 *     them
 */
public record BerthToml(Map<String, String> values) {

  /** What the file is called where nothing is said. */
  public static final String NAME = "berth.toml";

  /** No file, no values. */
  public static final BerthToml EMPTY = new BerthToml(Map.of());

  private static final String STORE_URL = "store.url";
  private static final String SQL_RUNNER = "sql.runner";
  private static final String SQL_RESERVE = "sql.reserve_connections";
  private static final String LIMITS = "limits";
  private static final String TOPICS = "topics";

  public BerthToml {
    values = Map.copyOf(values);
  }

  /** Reads the file. */
  public static BerthToml read(Path file) {
    return read(file.toString(), content(file));
  }

  /** Reads the text of a file; the name is for errors. */
  static BerthToml read(String name, String text) {
    TomlParseResult parsed = Toml.parse(text);
    if (parsed.hasErrors()) {
      TomlParseError first = parsed.errors().getFirst();
      throw new ConfigException(name, first.position().line(), sentence(first));
    }
    Map<String, String> values = new LinkedHashMap<>();
    parsed
        .entryPathSet(false)
        .forEach(entry -> {
          String key = String.join(".", entry.getKey());
          checkKnown(name, parsed, entry.getKey());
          values.put(key, text(name, line(parsed, entry.getKey()), key, entry.getValue()));
        });
    checkEmptyTables(name, parsed);
    checkValues(name, parsed, values);
    return new BerthToml(values);
  }

  /** The URL of the store, if the file names one. */
  public Optional<String> storeUrl() {
    return Optional.ofNullable(values.get(STORE_URL));
  }

  /** The URL of the runner of SQL tasks, if the file names one. */
  public Optional<String> sqlRunner() {
    return Optional.ofNullable(values.get(SQL_RUNNER));
  }

  /** How many connections SQL tasks leave to others, if the file says so. */
  public Optional<String> sqlReserve() {
    return Optional.ofNullable(values.get(SQL_RESERVE));
  }

  private static String content(Path file) {
    try {
      return Files.readString(file);
    } catch (NoSuchFileException e) {
      throw new ConfigException("There is no file " + file, e);
    } catch (IOException e) {
      throw new ConfigException("Could not read " + file + ": " + e.getMessage(), e);
    }
  }

  private static void checkKnown(String name, TomlParseResult parsed, List<String> path) {
    TreeSet<String> known = known();
    String key = String.join(".", path);
    if (!known.contains(key) && !isLimit(path) && !isTopic(path)) {
      throw new ConfigException(
          name,
          line(parsed, path),
          "there is no setting %s; did you mean %s?".formatted(key, Nearest.to(key, known)));
    }
  }

  /** The limits have names of their own, which may have dots in them. */
  private static boolean isLimit(List<String> path) {
    return path.size() == 2 && path.getFirst().equals(LIMITS);
  }

  /** So have topics; what stands in the table itself counts for all of them. */
  private static boolean isTopic(List<String> path) {
    return path.size() <= 3 && path.getFirst().equals(TOPICS);
  }

  /** A misspelt table without any keys would otherwise go unnoticed. */
  private static void checkEmptyTables(String name, TomlParseResult parsed) {
    TreeSet<String> tables = new TreeSet<>();
    tables.add(LIMITS);
    tables.add(TOPICS);
    known().forEach(key -> tables.add(key.substring(0, key.indexOf('.'))));
    for (String table : parsed.keySet()) {
      if (!tables.contains(table)) {
        throw new ConfigException(
            name,
            line(parsed, List.of(table)),
            "there is no table [%s]; did you mean [%s]?"
                .formatted(table, Nearest.to(table, tables)));
      }
    }
  }

  private static String text(String name, int line, String key, Object value) {
    return switch (value) {
      case String text -> text;
      case Long number -> number.toString();
      case Double number -> number.toString();
      case Boolean truth -> truth.toString();
      default ->
          throw new ConfigException(
              name, line, key + " must be a text, a number, or true or false");
    };
  }

  /** The worker knows which values fit; the file knows in which line they stand. */
  private static void checkValues(String name, TomlParseResult parsed, Map<String, String> values) {
    try {
      WorkerSettings.fromFile(values);
      FileLimits.of(values);
      FileTopics.of(values);
      checkReserve(values);
    } catch (IllegalArgumentException e) {
      String message = Objects.requireNonNullElse(e.getMessage(), e.toString());
      int line =
          parsed.entryPathSet(false).stream()
              .map(Map.Entry::getKey)
              .filter(path -> message.startsWith(String.join(".", path) + " "))
              .findFirst()
              .map(path -> line(parsed, path))
              .orElse(0);
      throw new ConfigException(name, line, message);
    }
  }

  private static void checkReserve(Map<String, String> values) {
    String reserve = values.get(SQL_RESERVE);
    if (reserve != null && !reserve.matches("[0-9]{1,4}")) {
      throw new IllegalArgumentException(
          SQL_RESERVE + " must be a whole number from 0 to 9999, but it is \"" + reserve + "\"");
    }
  }

  private static TreeSet<String> known() {
    TreeSet<String> known = new TreeSet<>(WorkerSettings.fileKeys());
    known.addAll(List.of(STORE_URL, SQL_RUNNER, SQL_RESERVE));
    return known;
  }

  private static int line(TomlParseResult parsed, List<String> path) {
    TomlPosition position = parsed.inputPositionOf(path);
    return position == null ? 0 : position.line();
  }

  private static String sentence(TomlParseError error) {
    String message = error.getMessage();
    return message == null ? "not TOML" : message.lines().findFirst().orElse(message);
  }
}
