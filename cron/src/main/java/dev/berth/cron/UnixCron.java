package dev.berth.cron;

import com.cronutils.model.CronType;
import com.cronutils.model.definition.CronDefinitionBuilder;
import com.cronutils.model.time.ExecutionTime;
import com.cronutils.parser.CronParser;
import dev.berth.schedule.CronReader;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.util.Locale;
import java.util.regex.Pattern;

/**
 * Expressions of five fields as crontab(5) has them: minute, hour, day, month, weekday. The library
 * finds dates and times; what becomes of them where clocks are changed is decided in core.
 */
public final class UnixCron implements CronReader {

  private static final Pattern PREFIX =
      Pattern.compile("^Failed to parse cron expression\\.\\s*", Pattern.CASE_INSENSITIVE);

  private final CronParser parser =
      new CronParser(CronDefinitionBuilder.instanceDefinitionFor(CronType.UNIX));

  @Override
  public Times read(String expression) {
    ExecutionTime times;
    try {
      times = ExecutionTime.forCron(parser.parse(expression).validate());
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(plain(e), e);
    }
    return time ->
        times.nextExecution(time.atZone(ZoneOffset.UTC)).map(ZonedDateTime::toLocalDateTime);
  }

  /** What the library says, as part of a sentence. */
  private static String plain(IllegalArgumentException e) {
    String message = e.getMessage() == null ? "it cannot be read" : e.getMessage();
    String said = PREFIX.matcher(message).replaceFirst("");
    return said.isEmpty()
        ? message
        : said.substring(0, 1).toLowerCase(Locale.ROOT) + said.substring(1);
  }
}
