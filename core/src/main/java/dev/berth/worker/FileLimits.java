package dev.berth.worker;

import dev.berth.limit.LimitKey;
import dev.berth.limit.Slots;
import dev.berth.task.LimitRule;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The numbers of limits in a configuration file. A worker registers them in place of those of its
 * code; a number set by hand counts before both.
 */
public record FileLimits(Map<LimitKey, Integer> slots) {

  /** The table of the file. */
  public static final String SECTION = "limits.";

  private static final Logger LOG = LoggerFactory.getLogger(FileLimits.class);

  public FileLimits {
    slots = Map.copyOf(slots);
  }

  /** Reads the keys of table {@code limits}; a wrong one is an error that begins with it. */
  public static FileLimits of(Map<String, String> file) {
    Map<LimitKey, Integer> slots = new LinkedHashMap<>();
    file.forEach((name, value) -> {
      if (name.startsWith(SECTION)) {
        LimitKey key = key(name);
        slots.put(key, number(name, key, value));
      }
    });
    return new FileLimits(slots);
  }

  /** What is to be registered of a type whose code says these. */
  List<LimitRule> over(String type, List<LimitRule> code) {
    List<LimitRule> rules = new ArrayList<>();
    for (LimitRule rule : code) {
      Integer said = slots.get(rule.key());
      rules.add(said == null ? rule : rule.inFile(said));
    }
    LimitKey own = LimitKey.ofType(type);
    Integer ofType = slots.get(own);
    if (ofType != null && rules.stream().noneMatch(rule -> rule.key().equals(own))) {
      rules.add(new LimitRule(own, ofType).inFile(ofType));
    }
    warn(own, rules);
    return rules;
  }

  private void warn(LimitKey own, List<LimitRule> rules) {
    Stream<LimitKey> unknown =
        slots.keySet().stream()
            .filter(key -> key.value().startsWith(own.value() + "/"))
            .filter(key -> rules.stream().noneMatch(rule -> rule.key().equals(key)));
    unknown.forEach(key ->
        LOG.warn("The file has a number for the limit {}, but the code has no such limit", key));
  }

  private static LimitKey key(String name) {
    LimitKey key;
    try {
      key = new LimitKey(name.substring(SECTION.length()));
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(
          name + " has a wrong name: " + Objects.requireNonNullElse(e.getMessage(), ""), e);
    }
    if (key.isOfTopic()) {
      throw new IllegalArgumentException(
          name + " is a topic: its number is max_parallel in a table of its own, [topics.NAME]");
    }
    if (key.keyed()) {
      throw new IllegalArgumentException(
          "%s is for one value only: a file can have the number for all of them, %s; one value has its own with 'berth limit set'"
              .formatted(name, key.rule()));
    }
    return key;
  }

  private static int number(String name, LimitKey key, String value) {
    try {
      return Slots.check(key.value(), Integer.parseInt(value.strip()));
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(
          "%s must be a whole number of slots from 0 to %d, but it is \"%s\""
              .formatted(name, Slots.MOST, value),
          e);
    }
  }
}
