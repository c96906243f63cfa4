package dev.berth.limit;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.berth.value.Texts;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/**
 * What a limit is called in the store. Keys cannot collide: a type's own limit is {@code
 * type/send_email}, its limit for one user {@code type/send_email/user/7}, a shared one {@code
 * limit/gpu}, that of a topic {@code topic/reports}, that of a schedule {@code schedule/nightly};
 * inside a name a slash is written {@code %2F} and a percent sign {@code %25}.
 */
public record LimitKey(String value) implements Comparable<LimitKey> {

  private static final int LONGEST = 500;

  /** Of a topic or a schedule, which are things with names. */
  private static final int LONGEST_NAME = 200;

  /** With the name of a type it has to fit into one entry of an index. */
  private static final int MOST_BYTES = 1_500;

  private static final Pattern UNESCAPED = Pattern.compile("%(?!25|2F)");

  public LimitKey {
    int length = value.codePointCount(0, value.length());
    int bytes = value.getBytes(UTF_8).length;
    if (length > LONGEST || bytes > MOST_BYTES) {
      throw new IllegalArgumentException(
          "The limit key \""
              + value.substring(0, value.offsetByCodePoints(0, 60))
              + "…\" has "
              + length
              + " characters, which take "
              + bytes
              + " bytes; at most "
              + LONGEST
              + " and "
              + MOST_BYTES
              + " are allowed");
    }
    check(value);
  }

  /** The limit of all tasks of a type. */
  public static LimitKey ofType(String type) {
    return new LimitKey("type/" + escaped(type));
  }

  /** The limit of the tasks of a type that have the same value under a name, such as a user. */
  public static LimitKey ofTypePer(String type, String name, String value) {
    return new LimitKey(ruleOf(type, name).value() + "/" + escaped(value));
  }

  /** What all keys of {@link #ofTypePer} with this name have in common: it carries their number. */
  public static LimitKey ruleOf(String type, String name) {
    return new LimitKey("type/" + escaped(type) + "/" + escaped(name));
  }

  /** A limit that any task may be under. */
  public static LimitKey shared(String name) {
    return new LimitKey("limit/" + escaped(name));
  }

  /** The limit of the SQL tasks under a topic. */
  public static LimitKey ofTopic(String name) {
    return new LimitKey("topic/" + escaped(name));
  }

  /** The limit by which tasks of one schedule run one after another, and the quota of them. */
  public static LimitKey ofSchedule(String name) {
    return new LimitKey("schedule/" + escaped(name));
  }

  /** Whether this is one of many keys under a rule. */
  public boolean keyed() {
    return parts().size() == 4;
  }

  /** Whether it carries the number of many keys and is the limit of no task itself. */
  public boolean isRule() {
    return parts().size() == 3;
  }

  /** Whether this is the limit of all tasks of one type. */
  public boolean isOfType() {
    return value.startsWith("type/") && parts().size() == 2;
  }

  /** Whether this is the limit of a topic. */
  public boolean isOfTopic() {
    return value.startsWith("topic/");
  }

  /** The key that carries the number: that of the rule for one of many, else this. */
  public LimitKey rule() {
    return keyed() ? new LimitKey(value.substring(0, value.lastIndexOf('/'))) : this;
  }

  /** Shared limits first, then those of types, then single keys: from most to least shared. */
  @Override
  public int compareTo(LimitKey other) {
    int rank = Integer.compare(rank(), other.rank());
    return rank != 0 ? rank : value.compareTo(other.value);
  }

  @Override
  public String toString() {
    return value;
  }

  private int rank() {
    return value.startsWith("limit/") ? 0 : parts().size();
  }

  private List<String> parts() {
    return List.of(value.split("/", -1));
  }

  private static void check(String value) {
    List<String> parts = new ArrayList<>(List.of(value.split("/", -1)));
    String root = parts.removeFirst();
    boolean shape =
        switch (root) {
          case "limit", "topic", "schedule" -> parts.size() == 1;
          case "type" -> parts.size() >= 1 && parts.size() <= 3;
          default -> false;
        };
    if (!shape || parts.stream().anyMatch(String::isBlank)) {
      throw new IllegalArgumentException(
          "\""
              + value
              + "\" is not a limit key: expected limit/NAME, topic/NAME, schedule/NAME, type/TYPE,"
              + " type/TYPE/NAME or type/TYPE/NAME/VALUE");
    }
    if (!root.equals("limit") && !root.equals("type")) {
      String name = parts.getFirst().replace("%2F", "/").replace("%25", "%");
      if (name.codePointCount(0, name.length()) > LONGEST_NAME) {
        throw new IllegalArgumentException(
            "The limit key \"%.60s…\" is not allowed: the name of a topic or a schedule has at most %d characters"
                .formatted(value, LONGEST_NAME));
      }
    }
    if (value.chars().anyMatch(Character::isISOControl)) {
      throw new IllegalArgumentException(
          "The limit key \"" + value + "\" contains a control character");
    }
    Texts.checkName("limit key", value);
    if (UNESCAPED.matcher(value).find()) {
      throw new IllegalArgumentException(
          "\"" + value + "\" is not a limit key: write %25 for a percent sign, %2F for a slash");
    }
  }

  private static String escaped(String part) {
    if (part.isBlank()) {
      throw new IllegalArgumentException("A part of a limit key was blank");
    }
    return part.replace("%", "%25").replace("/", "%2F");
  }
}
