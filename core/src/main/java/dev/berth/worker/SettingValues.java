package dev.berth.worker;

import dev.berth.task.Names;
import java.time.Duration;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * What was said about settings and where. All sources speak text, so that a bad value gets the same
 * sentence wherever it comes from. Later sources win over earlier ones.
 */
final class SettingValues {

  private static final long LONGEST_MS = Duration.ofDays(1).toMillis();

  /**
   * A value and the name of its source, for the error.
   *
   * @param name as it is written where the value was found
   */
  private record Said(String name, String value) {}

  private final Map<Setting, Said> all = new EnumMap<>(Setting.class);

  SettingValues() {}

  SettingValues(SettingValues other) {
    all.putAll(other.all);
  }

  void fromBuilder(Setting setting, Object value) {
    String text = value instanceof Duration time ? millis(time) : value.toString();
    all.put(setting, new Said(setting.method(), text));
  }

  /** One that has more milliseconds than a number can is repeated as it was said. */
  private static String millis(Duration time) {
    long millis = TimeUnit.MILLISECONDS.convert(time);
    return millis == Long.MAX_VALUE ? time.toString() : Long.toString(millis);
  }

  /** Takes the keys of section {@code worker}; one that is not a setting is an error. */
  void fromFile(Map<String, String> file) {
    Map<String, Setting> known =
        Arrays.stream(Setting.values()).collect(Collectors.toMap(Setting::key, each -> each));
    file.forEach((key, value) -> {
      Setting setting = known.get(key);
      if (setting != null) {
        all.put(setting, new Said(key, value));
      } else if (key.startsWith(Setting.FILE_SECTION)) {
        throw new IllegalArgumentException(
            "There is no setting "
                + key
                + ": use one of "
                + known.keySet().stream().sorted().toList());
      }
    });
  }

  /** Takes the variables that are set and not empty. */
  void fromEnvironment(Map<String, String> environment) {
    for (Setting setting : Setting.values()) {
      String value = environment.get(setting.variable());
      if (value != null && !value.isBlank()) {
        all.put(setting, new Said(setting.variable(), value));
      }
    }
  }

  String name(Setting setting, Supplier<String> otherwise) {
    Said said = all.get(setting);
    return said == null ? otherwise.get() : Names.check("worker", said.value);
  }

  int whole(Setting setting, int otherwise, int least, int most) {
    return Math.toIntExact(number(setting, otherwise, least, most, ""));
  }

  Duration millis(Setting setting, long otherwise, long least) {
    return Duration.ofMillis(number(setting, otherwise, least, LONGEST_MS, " of milliseconds"));
  }

  double part(Setting setting, double otherwise) {
    Said said = all.get(setting);
    if (said == null) {
      return otherwise;
    }
    double part = parsePart(said.value);
    if (!(part > 0 && part <= 1)) {
      throw wrong(said, "a part above 0 and up to 1, such as 0.8");
    }
    return part;
  }

  boolean onOff(Setting setting, boolean otherwise) {
    Said said = all.get(setting);
    if (said == null) {
      return otherwise;
    }
    return switch (said.value.strip()) {
      case "true", "on" -> true;
      case "false", "off" -> false;
      default -> throw wrong(said, "true or false");
    };
  }

  private long number(Setting setting, long otherwise, long least, long most, String unit) {
    Said said = all.get(setting);
    if (said == null) {
      return otherwise;
    }
    Long number = parseWhole(said.value);
    if (number == null || number < least || number > most) {
      throw wrong(said, "a whole number" + unit + " from " + least + " to " + most);
    }
    return number;
  }

  private static @Nullable Long parseWhole(String text) {
    try {
      return Long.valueOf(text.strip());
    } catch (NumberFormatException e) {
      return null;
    }
  }

  private static double parsePart(String text) {
    try {
      return Double.parseDouble(text.strip());
    } catch (NumberFormatException e) {
      return Double.NaN;
    }
  }

  private static IllegalArgumentException wrong(Said said, String needed) {
    return new IllegalArgumentException(
        said.name + " must be " + needed + ", but it is \"" + said.value + "\"");
  }
}
