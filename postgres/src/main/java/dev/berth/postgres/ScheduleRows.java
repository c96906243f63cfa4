package dev.berth.postgres;

import dev.berth.limit.Need;
import dev.berth.limit.Quota;
import dev.berth.schedule.Missed;
import dev.berth.schedule.Overlap;
import dev.berth.schedule.Timing;
import dev.berth.store.Advance;
import dev.berth.store.DueSchedule;
import dev.berth.store.Schedule;
import dev.berth.store.Submission;
import dev.berth.view.ScheduleView;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Locale;
import java.util.Objects;

/** Schedules as rows and back. */
final class ScheduleRows {

  private ScheduleRows() {}

  static void bind(Connection connection, PreparedStatement statement, Schedule schedule)
      throws SQLException {
    Submission each = schedule.underItsKey();
    List<Need> needs = each.lane().needs();
    List<Quota> quotas = each.quotas();
    statement.setString(1, schedule.name());
    switch (schedule.timing()) {
      case Timing.Cron(String expression, String zone) -> {
        statement.setString(2, expression);
        statement.setString(3, zone);
        statement.setNull(4, Types.BIGINT);
      }
      case Timing.Every(Duration period) -> {
        statement.setNull(2, Types.VARCHAR);
        statement.setNull(3, Types.VARCHAR);
        statement.setLong(4, period.toMillis());
      }
    }
    statement.setString(5, word(schedule.missed()));
    statement.setString(6, word(schedule.overlap()));
    statement.setString(7, each.type());
    statement.setString(8, each.queue());
    statement.setShort(9, (short) each.priority());
    statement.setString(10, each.payload());
    statement.setString(11, Arrays.pairs(connection, each.metadata()));
    statement.setArray(12, Arrays.of(connection, "text", needs, need -> need.key().value()));
    statement.setArray(13, Arrays.of(connection, "int4", needs, Need::weight));
    statement.setArray(14, Arrays.of(connection, "int4", needs, Need::slots));
    statement.setArray(15, Arrays.of(connection, "text", quotas, quota -> quota.key().value()));
    statement.setArray(16, Arrays.of(connection, "int4", quotas, Quota::most));
    statement.setArray(17, Arrays.of(connection, "text", quotas, quota -> word(quota.whenFull())));
  }

  static void bind(Connection connection, PreparedStatement statement, Advance advance)
      throws SQLException {
    List<Instant> times = advance.occurrences();
    Instant next = advance.next();
    statement.setString(1, advance.schedule());
    statement.setLong(2, advance.version());
    statement.setArray(
        3,
        Arrays.of(
            connection, "uuid", times, time -> Schedule.taskOf(advance.schedule(), time).value()));
    statement.setArray(4, Arrays.of(connection, "timestamptz", times, Instant::toString));
    statement.setBoolean(5, advance.catchingUp());
    statement.setObject(
        6, next == null ? null : next.atOffset(ZoneOffset.UTC), Types.TIMESTAMP_WITH_TIMEZONE);
    statement.setString(7, advance.error());
  }

  static DueSchedule due(ResultSet row) throws SQLException {
    return new DueSchedule(
        row.getString("name"),
        row.getLong("version"),
        timing(row),
        missed(row),
        PostgresReader.instant(row, "anchor"),
        PostgresReader.instant(row, "since"),
        PostgresReader.maybeInstant(row, "next_at"),
        PostgresReader.instant(row, "now"));
  }

  static ScheduleView view(ResultSet row) throws SQLException {
    return new ScheduleView(
        row.getString("name"),
        new ScheduleView.When(
            timing(row),
            PostgresReader.instant(row, "anchor"),
            missed(row),
            Overlap.valueOf(row.getString("overlap").toUpperCase(Locale.ROOT))),
        new ScheduleView.Each(
            row.getString("type"), row.getString("queue"), row.getString("payload")),
        row.getBoolean("paused"),
        PostgresReader.maybeInstant(row, "next_at"),
        new ScheduleView.Past(
            PostgresReader.maybeInstant(row, "last_at"),
            PostgresReader.maybeTask(row, "last_task"),
            row.getLong("submitted"),
            row.getLong("skipped")),
        row.getString("error"));
  }

  private static Timing timing(ResultSet row) throws SQLException {
    String cron = row.getString("cron");
    return cron == null
        ? new Timing.Every(Duration.ofMillis(row.getLong("every")))
        : new Timing.Cron(cron, Objects.requireNonNull(row.getString("zone")));
  }

  private static Missed missed(ResultSet row) throws SQLException {
    return Missed.valueOf(row.getString("missed").toUpperCase(Locale.ROOT));
  }

  private static String word(Enum<?> choice) {
    return choice.name().toLowerCase(Locale.ROOT);
  }
}
