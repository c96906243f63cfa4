package dev.berth.postgres;

import dev.berth.store.Submission;
import dev.berth.store.Submitted;
import dev.berth.task.Due;
import dev.berth.task.TaskId;
import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Writes one batch on a connection; the caller commits.
 *
 * @param submitted one answer per submission, in their order
 * @param hints what to tell the workers once it is committed
 */
record BatchSubmit(List<Submitted> submitted, List<Hint> hints) {

  static BatchSubmit on(Connection connection, List<Submission> batch, boolean repeat)
      throws SQLException {
    return Database.run(
        connection, Statements.SUBMIT, statement -> on(connection, statement, batch, repeat));
  }

  private static BatchSubmit on(
      Connection connection, PreparedStatement statement, List<Submission> batch, boolean repeat)
      throws SQLException {
    List<Submission> unique = withoutDoubles(batch);
    statement.setArray(1, Arrays.of(connection, "uuid", unique, s -> s.id().value()));
    statement.setArray(2, Arrays.of(connection, "text", unique, Submission::type));
    statement.setArray(3, Arrays.of(connection, "text", unique, Submission::queue));
    statement.setArray(4, Arrays.of(connection, "int2", unique, s -> (short) s.priority()));
    statement.setArray(5, Arrays.of(connection, "timestamptz", unique, s -> instant(s.due())));
    statement.setArray(6, Arrays.of(connection, "int8", unique, s -> delay(s.due())));
    statement.setArray(7, Arrays.of(connection, "text", unique, Submission::payload));
    statement.setArray(
        8, Arrays.of(connection, "text", unique, s -> Arrays.pairs(connection, s.metadata())));
    statement.setBoolean(9, repeat || unique.stream().anyMatch(Submission::ownId));
    try (ResultSet row = statement.executeQuery()) {
      row.next();
      return new BatchSubmit(answers(batch, existing(row)), hints(unique, row.getLong("position")));
    }
  }

  private static List<Submission> withoutDoubles(List<Submission> batch) {
    Set<TaskId> seen = new HashSet<>();
    return batch.stream().filter(submission -> seen.add(submission.id())).toList();
  }

  private static Set<UUID> existing(ResultSet row) throws SQLException {
    Array array = row.getArray("existing");
    return array == null ? Set.of() : Set.of((UUID[]) array.getArray());
  }

  private static List<Submitted> answers(List<Submission> batch, Set<UUID> existing) {
    Set<TaskId> seen = new HashSet<>();
    List<Submitted> answers = new ArrayList<>(batch.size());
    for (Submission submission : batch) {
      TaskId id = submission.id();
      boolean fresh = seen.add(id) && !existing.contains(id.value());
      answers.add(fresh ? new Submitted.Accepted(id) : new Submitted.Existing(id));
    }
    return answers;
  }

  private static List<Hint> hints(List<Submission> batch, long position) {
    Set<Hint> hints = new HashSet<>();
    for (Submission submission : batch) {
      switch (submission.due()) {
        case Due.Now now -> hints.add(new Hint(false, position, submission.queue()));
        case Due.After(Duration delay) ->
            hints.add(new Hint(true, micros(delay), submission.queue()));
        case Due.At at -> hints.add(new Hint(true, 0, submission.queue()));
      }
    }
    return List.copyOf(hints);
  }

  private static @Nullable String instant(Due due) {
    return due instanceof Due.At at ? at.instant().toString() : null;
  }

  private static long delay(Due due) {
    return due instanceof Due.After after ? micros(after.delay()) : 0;
  }

  private static long micros(Duration duration) {
    return TimeUnit.NANOSECONDS.toMicros(duration.toNanos());
  }
}
