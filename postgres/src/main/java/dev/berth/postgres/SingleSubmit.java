package dev.berth.postgres;

import dev.berth.limit.Need;
import dev.berth.store.Submission;
import dev.berth.store.Submitted;
import dev.berth.task.Due;
import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** One new task that is due now: by far the most submits, and those that somebody waits for. */
final class SingleSubmit {

  private SingleSubmit() {}

  /** Whether this way is open to the batch: nothing about it needs to be looked up or counted. */
  static boolean fits(List<Submission> batch) {
    Submission first = batch.getFirst();
    return batch.size() == 1
        && first.due() instanceof Due.Now
        && !first.ownId()
        && first.quotas().isEmpty()
        && first.step() == null;
  }

  /**
   * Writes it; the caller commits.
   *
   * @param waking whether to wake workers in the same transaction
   * @return empty if the task is under limits that it does not name: it takes the usual way then
   */
  static Optional<BatchSubmit> on(Connection connection, Submission only, boolean waking)
      throws SQLException {
    return Database.run(
        connection,
        waking ? Statements.SUBMIT_ONE_WAKING : Statements.SUBMIT_ONE,
        statement -> {
          bind(connection, statement, only);
          if (waking) {
            statement.setString(11, " " + BatchSubmit.hintPriority(only, false) + " ");
            statement.setString(12, only.queue());
          }
          try (ResultSet row = statement.executeQuery()) {
            row.next();
            long position = row.getLong(1);
            return row.wasNull()
                ? Optional.empty()
                : Optional.of(submitted(only, position, waking));
          }
        });
  }

  private static BatchSubmit submitted(Submission only, long position, boolean told) {
    Hint hint =
        new Hint.Ready(
            only.queue(), BatchSubmit.hintPriority(only, false), BatchSubmit.atMicros(position));
    return new BatchSubmit(List.of(new Submitted.Accepted(only.id())), List.of(hint), told);
  }

  private static void bind(Connection connection, PreparedStatement statement, Submission only)
      throws SQLException {
    statement.setObject(1, only.id().value());
    statement.setString(2, only.type());
    statement.setString(3, only.queue());
    statement.setShort(4, (short) only.priority());
    statement.setString(5, only.payload());
    statement.setString(6, Arrays.pairs(connection, only.metadata()));
    statement.setString(7, BatchSubmit.lane(only));
    statement.setArray(8, needs(connection, only, "text", need -> need.key().value()));
    statement.setArray(9, needs(connection, only, "int4", Need::weight));
    statement.setArray(10, needs(connection, only, "int4", Need::slots));
  }

  private static @Nullable Array needs(
      Connection connection, Submission only, String type, Function<Need, @Nullable Object> part)
      throws SQLException {
    return only.lane().open() ? null : Arrays.of(connection, type, only.lane().needs(), part);
  }
}
