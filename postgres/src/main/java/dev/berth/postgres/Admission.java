package dev.berth.postgres;

import dev.berth.task.TaskId;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * What a backend may run, and how.
 *
 * @param refused why it may not
 * @param call the function that runs the statement with the rights of its launcher
 * @param direct whether the backend is logged in as the launcher
 * @param leftBehind a backend that still runs an earlier attempt; 0: none
 * @param proof what the statement does not know: that it is the worker who finishes the task
 */
record Admission(
    @Nullable String refused,
    String call,
    boolean direct,
    boolean inTransaction,
    String statement,
    String searchPath,
    long timeoutMs,
    int leftBehind,
    @Nullable UUID proof) {

  static Admission ask(PostgresStore store, TaskId task, long token, int backend) {
    return store
        .database()
        .run(
            "start a SQL task",
            Statements.ADMIT_SQL,
            prepared -> {
              prepared.setObject(1, task.value());
              prepared.setLong(2, token);
              prepared.setInt(3, backend);
              prepared.setArray(
                  4, Arrays.uuids(prepared.getConnection(), store.proofs(), proof -> proof));
              try (ResultSet row = prepared.executeQuery()) {
                row.next();
                return of(row);
              }
            });
  }

  private static Admission of(ResultSet row) throws SQLException {
    return new Admission(
        row.getString("refused"),
        row.getString("call"),
        row.getBoolean("direct"),
        row.getBoolean("in_transaction"),
        row.getString("statement"),
        row.getString("search_path"),
        row.getLong("timeout_ms"),
        row.getInt("left_behind"),
        row.getObject("proof", UUID.class));
  }
}
