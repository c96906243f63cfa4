package dev.berth.worker;

import dev.berth.limit.LimitKey;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What a configuration file says of the topics of SQL tasks. What is set by hand counts before it.
 *
 * @param topics by name; under the empty name what counts for all topics that say nothing else
 */
public record FileTopics(Map<String, Said> topics) {

  public static final FileTopics NONE = new FileTopics(Map.of());

  /** The table of the file. */
  public static final String SECTION = "topics.";

  /**
   * What is said of one topic; null where nothing is.
   *
   * @param maxParallel how many of its tasks may run at once
   * @param retryCount how often a failed one is tried again
   * @param delayMs the least time between two starts
   */
  public record Said(
      @Nullable Integer maxParallel, @Nullable Integer retryCount, @Nullable Integer delayMs) {

    private static final Said NOTHING = new Said(null, null, null);
  }

  public FileTopics {
    topics = Map.copyOf(topics);
  }

  /** Reads the keys of table {@code topics}; a wrong one is an error that begins with it. */
  public static FileTopics of(Map<String, String> file) {
    Map<String, Said> topics = new LinkedHashMap<>();
    file.forEach((key, value) -> {
      if (key.startsWith(SECTION)) {
        String rest = key.substring(SECTION.length());
        int dot = rest.lastIndexOf('.');
        String name = dot < 0 ? "" : rest.substring(0, dot);
        if (dot >= 0) {
          check(key, name);
        }
        Said before = Objects.requireNonNullElse(topics.get(name), Said.NOTHING);
        topics.put(name, with(before, key, rest.substring(dot + 1), value));
      }
    });
    return new FileTopics(topics);
  }

  private static Said with(Said said, String key, String field, String value) {
    return switch (field) {
      case "max_parallel" -> new Said(number(key, value, 1_000_000), said.retryCount, said.delayMs);
      case "retry_count" -> new Said(said.maxParallel, number(key, value, 1_000), said.delayMs);
      case "delay_ms" ->
          new Said(said.maxParallel, said.retryCount, number(key, value, 86_400_000));
      default ->
          throw new IllegalArgumentException(
              key + " is no setting of a topic: use max_parallel, retry_count or delay_ms");
    };
  }

  private static void check(String key, String name) {
    try {
      LimitKey.ofTopic(name);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(key + " does not name a topic: " + e.getMessage(), e);
    }
  }

  private static int number(String key, String value, int most) {
    try {
      int number = Integer.parseInt(value.strip());
      if (number >= 0 && number <= most) {
        return number;
      }
    } catch (NumberFormatException e) {
      // said below
    }
    throw new IllegalArgumentException(
        "%s must be a whole number from 0 to %d, but it is \"%s\"".formatted(key, most, value));
  }
}
