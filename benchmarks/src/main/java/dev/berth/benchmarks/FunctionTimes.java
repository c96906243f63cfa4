package dev.berth.benchmarks;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** How long calls of SQL functions took in a database, as the statistics of its server have it. */
final class FunctionTimes {

  private static final Duration PATIENCE = Duration.ofMinutes(1);

  private static final String CALLS =
      """
      select calls, total_time from pg_stat_user_functions
       where schemaname = 'berth_private' and funcname = ?
      """;
  private static final String OTHERS_ARE_GONE =
      """
      select count(*) = 0 from pg_stat_activity
       where datname = current_database() and pid <> pg_backend_pid()
         and backend_type = 'client backend'
      """;
  private static final String MARK =
      "create function all_told() returns void language plpgsql as 'begin end'";
  private static final String MARK_IS_SEEN =
      "select exists (select from pg_stat_user_functions where funcname = 'all_told')";

  private final BenchDatabase database;

  private FunctionTimes(BenchDatabase database) {
    this.database = database;
  }

  /** The calls of one function, and what they took together with all that they called. */
  record Calls(String function, long count, double ms) {

    double meanMs() {
      return ms / count;
    }
  }

  /** Only counts who connects after it. Not every user may do it. */
  static void track(BenchDatabase database) throws SQLException {
    database.execute("alter database %s set track_functions = 'pl'".formatted(database.name()));
  }

  /**
   * Of all that was called by those who have closed their connections. A backend tells what it
   * counted now and then, and when it ends, which may be after its client has gone. Before version
   * 15 it also takes a while to be seen: then a call that came later is seen no sooner.
   */
  static FunctionTimes of(BenchDatabase database) throws SQLException, InterruptedException {
    await(database, OTHERS_ARE_GONE);
    database.execute(MARK);
    database.execute("select all_told()");
    await(database, MARK_IS_SEEN);
    return new FunctionTimes(database);
  }

  Calls calls(String function) throws SQLException {
    try (Connection connection = database.connect();
        PreparedStatement statement = connection.prepareStatement(CALLS)) {
      statement.setString(1, function);
      try (ResultSet row = statement.executeQuery()) {
        if (!row.next()) {
          throw new IllegalStateException(
              "berth_private.%s was never called, so what a call takes is not known"
                  .formatted(function));
        }
        return new Calls(function, row.getLong("calls"), row.getDouble("total_time"));
      }
    }
  }

  private static void await(BenchDatabase database, String condition)
      throws SQLException, InterruptedException {
    long deadline = System.nanoTime() + PATIENCE.toNanos();
    while (database.number("select (%s)::integer".formatted(condition)) == 0) {
      if (System.nanoTime() > deadline) {
        throw new IllegalStateException(
            "The statistics of functions were not complete within %d s"
                .formatted(PATIENCE.toSeconds()));
      }
      TimeUnit.MILLISECONDS.sleep(20);
    }
  }
}
