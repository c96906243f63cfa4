package dev.berth.cli;

import java.time.DateTimeException;
import java.time.Duration;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads how long something takes: 500ms, 10s, 5m, 2h, 1d, or as ISO 8601 has it. */
final class TimeSpan implements ITypeConverter<Duration> {

  private static final Pattern SHORT = Pattern.compile("(-?\\d{1,12})\\s*(ms|s|m|h|d)");

  @Override
  public Duration convert(String text) {
    Matcher matcher = SHORT.matcher(text.strip().toLowerCase(Locale.ROOT));
    if (matcher.matches()) {
      long number = Long.parseLong(matcher.group(1));
      return switch (matcher.group(2)) {
        case "ms" -> Duration.ofMillis(number);
        case "s" -> Duration.ofSeconds(number);
        case "m" -> Duration.ofMinutes(number);
        case "h" -> Duration.ofHours(number);
        default -> Duration.ofDays(number);
      };
    }
    try {
      return Duration.parse(text.strip());
    } catch (DateTimeException e) {
      throw new TypeConversionException(
          "'" + text + "' is not a time: use 500ms, 10s, 5m, 2h, 1d or PT1H30M");
    }
  }
}
