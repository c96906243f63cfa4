package dev.berth.postgres;

import dev.berth.store.DueSchedule;
import dev.berth.store.Swept;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The sweep of this process: promotes and expires each time, prunes now and then. */
final class Upkeep {

  /** A sweep without a floor finds tasks that were committed after their due time. */
  private static final long RESCAN_EVERY_NANOS = TimeUnit.SECONDS.toNanos(1);

  private static final long PRUNE_AGAIN_NANOS = TimeUnit.MINUTES.toNanos(10);

  private static final int FULL_BATCH = 1_000;
  private static final Duration LONGEST_SWEEP = Duration.ofSeconds(15);

  /** A look from the start is followed by at least so many times its own duration without one. */
  private static final long REST = 20;

  private static final Logger log = LoggerFactory.getLogger(Upkeep.class);

  private final Database database;
  private final AtomicReference<@Nullable Instant> stepsSince = new AtomicReference<>();
  private @Nullable OffsetDateTime floor;
  private @Nullable OffsetDateTime stepFloor;
  private long rescanEvery = RESCAN_EVERY_NANOS;
  private long rescannedAt = System.nanoTime() - RESCAN_EVERY_NANOS;
  private boolean schedulesDue;
  private List<String> told = List.of();
  private @Nullable String today;
  private @Nullable String prunedOn;
  private long pruneAt = System.nanoTime();
  private List<String> unpruned = List.of();

  Upkeep(Database database) {
    this.database = database;
  }

  /** Steps were submitted at this time, and the next sweep shall find them. */
  void lower(Instant at) {
    stepsSince.accumulateAndGet(
        at, (one, other) -> one == null || other.isBefore(one) ? other : one);
  }

  synchronized Swept sweep() {
    return database.connected(
        "sweep",
        LONGEST_SWEEP,
        connection -> {
          int promoted = 0;
          int expired = 0;
          int returned = 0;
          while (true) {
            Swept swept = promote(connection);
            promoted += swept.promoted();
            expired += swept.sessionsExpired();
            returned += swept.tasksReturned();
            if (swept.promoted() < FULL_BATCH) {
              List<DueSchedule> due = schedulesDue ? dueSchedules(connection) : List.of();
              prune(connection);
              return new Swept(promoted, expired, returned, swept.nextDue(), due);
            }
          }
        });
  }

  /** Once a day of the store's clock: history is kept by the day. What fails is tried again. */
  private void prune(Connection connection) {
    if (Objects.equals(today, prunedOn) || System.nanoTime() - pruneAt < 0) {
      return;
    }
    List<String> faults;
    try {
      boolean made = makePartitions(connection);
      faults = Database.run(connection, Statements.PRUNE, Upkeep::faults);
      if (!made) {
        faults = new ArrayList<>(faults);
        faults.add("partitions of history could not be made: somebody else holds a lock");
      }
    } catch (SQLException e) {
      faults = List.of(Failures.firstLine(e));
    }
    faults.stream()
        .filter(fault -> !unpruned.contains(fault))
        .forEach(fault ->
            log.warn("A part of the daily upkeep did not work, the others did: {}", fault));
    unpruned = faults;
    if (faults.isEmpty()) {
      prunedOn = today;
    } else {
      pruneAt = System.nanoTime() + PRUNE_AGAIN_NANOS;
    }
  }

  private static List<String> faults(PreparedStatement prune) throws SQLException {
    try (ResultSet row = prune.executeQuery()) {
      row.next();
      return Arrays.texts(row, "faults");
    }
  }

  /** Whether all are there now. */
  static boolean makePartitions(Connection connection) throws SQLException {
    return Database.run(
        connection,
        Statements.MAKE_PARTITIONS,
        statement -> {
          try (ResultSet row = statement.executeQuery()) {
            row.next();
            row.getInt(1);
            return !row.wasNull();
          }
        });
  }

  private Swept promote(Connection connection) throws SQLException {
    long now = System.nanoTime();
    boolean rescan = now - rescannedAt >= rescanEvery;
    Instant since = stepsSince.getAndSet(null);
    if (rescan) {
      floor = null;
      stepFloor = null;
      rescannedAt = now;
    } else if (since != null && stepFloor != null && since.isBefore(stepFloor.toInstant())) {
      stepFloor = since.atOffset(ZoneOffset.UTC);
    }
    Swept swept = sweep(connection);
    if (rescan) {
      rescanEvery = Math.max(RESCAN_EVERY_NANOS, REST * (System.nanoTime() - now));
    }
    return swept;
  }

  private Swept sweep(Connection connection) throws SQLException {
    return Database.run(
        connection,
        Statements.SWEEP,
        statement -> {
          statement.setObject(1, floor, Types.TIMESTAMP_WITH_TIMEZONE);
          statement.setObject(2, stepFloor, Types.TIMESTAMP_WITH_TIMEZONE);
          try (ResultSet row = statement.executeQuery()) {
            row.next();
            floor = row.getObject("floor", OffsetDateTime.class);
            stepFloor = row.getObject("step_floor", OffsetDateTime.class);
            today = row.getString("today");
            tell(Arrays.texts(row, "faults"));
            schedulesDue = row.getBoolean("schedules");
            long micros = row.getLong("next_due_micros");
            Duration nextDue =
                row.wasNull() ? null : Duration.of(Math.max(0, micros), ChronoUnit.MICROS);
            return new Swept(
                row.getInt("promoted"), row.getInt("expired"), row.getInt("returned"), nextDue);
          }
        });
  }

  /** Each once for as long as it lasts: a sweep comes again every second. */
  private void tell(List<String> faults) {
    for (String fault : faults) {
      if (!told.contains(fault)) {
        log.warn("A part of the sweep did not work, the others did: {}", fault);
      }
    }
    told = faults;
  }

  private static List<DueSchedule> dueSchedules(Connection connection) throws SQLException {
    return Database.run(
        connection,
        Statements.DUE_SCHEDULES,
        statement -> {
          List<DueSchedule> due = new ArrayList<>();
          try (ResultSet rows = statement.executeQuery()) {
            while (rows.next()) {
              due.add(ScheduleRows.due(rows));
            }
          }
          return due;
        });
  }
}
