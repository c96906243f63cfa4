package dev.berth.postgres;

import dev.berth.limit.LimitKey;
import dev.berth.view.Explanation;
import dev.berth.view.Explanation.Held;
import dev.berth.view.Explanation.Line;
import dev.berth.view.LimitView.Holder;
import dev.berth.view.Obstacle;
import dev.berth.view.SessionId;
import dev.berth.view.TaskView;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * One row of berth.explain, with the task it is about.
 *
 * @param kind null where there is nothing to say, since the task has ended
 * @param holder of a limit; null in rows of other kinds
 */
record Explained(
    TaskView task,
    @Nullable String kind,
    @Nullable String key,
    @Nullable Instant at,
    int slots,
    int used,
    int number,
    long count,
    @Nullable Holder holder,
    long ends,
    Duration since) {

  static Explained read(ResultSet row) throws SQLException {
    String kind = row.getString("kind");
    return new Explained(
        PostgresReader.task(row),
        kind,
        row.getString("key"),
        PostgresReader.maybeInstant(row, "at"),
        row.getInt("slots"),
        row.getInt("used"),
        row.getInt("number"),
        row.getLong("count"),
        "holder".equals(kind) ? holder(row) : null,
        row.getLong("ends"),
        Duration.of(row.getLong("since_micros"), ChronoUnit.MICROS));
  }

  private static Holder holder(ResultSet row) throws SQLException {
    return new Holder(
        PostgresReader.maybeTask(row, "holder"),
        row.getString("holder_type"),
        row.getLong("token"),
        row.getString("holder_worker"),
        PostgresReader.instant(row, "at"),
        PostgresReader.instant(row, "began"),
        row.getInt("number"),
        row.getInt("count"));
  }

  /** What all rows say of one task together; there is at least one. */
  static Explanation together(List<Explained> rows) {
    TaskView task = rows.getFirst().task();
    if (task.state().ended()) {
      return new Explanation.Ended(task);
    }
    return of("session", rows)
        .findFirst()
        .map(session -> running(task, session.count(), rows))
        .orElseGet(() -> waiting(task, rows));
  }

  private static Explanation running(TaskView task, long session, List<Explained> rows) {
    List<Held> held =
        of("held", rows)
            .map(row -> new Held(row.limit(), row.number(), (int) row.count()))
            .toList();
    return new Explanation.Running(task, new SessionId(Long.toString(session)), held);
  }

  private static Explanation waiting(TaskView task, List<Explained> rows) {
    List<Obstacle> obstacles = rows.stream().flatMap(row -> row.obstacle(rows)).toList();
    return of("place", rows)
        .findFirst()
        .map(row ->
            Explanation.Waiting.of(task, obstacles, Line.of(row.count()), row.ends(), row.since()))
        .orElseGet(() -> new Explanation.Waiting(task, obstacles, null, null));
  }

  private Stream<Obstacle> obstacle(List<Explained> rows) {
    return switch (kind) {
      case "step" ->
          Stream.of(
              new Obstacle.HeldByWorkflow(
                  Objects.requireNonNull(task.input().step()).workflow(),
                  Objects.requireNonNull(key),
                  count == 1));
      case "not_due" -> Stream.of(new Obstacle.NotDue(task.times().due()));
      case "queue_paused" -> Stream.of(new Obstacle.QueuePaused(task.queue()));
      case "no_worker" -> Stream.of(new Obstacle.NoWorker(task.type(), task.queue()));
      case "limit_paused" -> Stream.of(new Obstacle.LimitPaused(limit()));
      case "paced" -> Stream.of(new Obstacle.Paced(limit(), Objects.requireNonNull(at)));
      case "reserved" -> Stream.of(new Obstacle.Reserved(limit()));
      case "no_room" ->
          Stream.of(new Obstacle.NoRoom(limit(), slots, used, (int) count, holders(rows)));
      case null, default -> Stream.empty();
    };
  }

  private List<Holder> holders(List<Explained> rows) {
    return of("holder", rows)
        .filter(row -> Objects.equals(row.key(), key))
        .map(Explained::holder)
        .filter(Objects::nonNull)
        .toList();
  }

  private LimitKey limit() {
    return new LimitKey(Objects.requireNonNull(key));
  }

  private static Stream<Explained> of(String kind, List<Explained> rows) {
    return rows.stream().filter(row -> kind.equals(row.kind()));
  }
}
