package dev.berth.postgres;

import dev.berth.store.StoreException;
import dev.berth.task.Outcome;
import dev.berth.task.TaskId;
import dev.berth.worker.Decision;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Types;
import java.time.Duration;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;
import org.postgresql.core.BaseConnection;
import org.postgresql.core.TransactionState;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One attempt of a SQL task, on a connection of its own. See {@code functions/api/run_sql.sql} for
 * why it is safe.
 *
 * <p>The outcome of a statement that failed is decided here and handed in by the worker. That of
 * one that succeeded is written in its own transaction. Where nobody knows, because the commit was
 * not answered, it is handed in as failed: the store refuses that if the commit took place.
 */
final class SqlAttempt implements Callable<Decision> {

  private static final Logger LOG = LoggerFactory.getLogger(SqlAttempt.class);

  private static final Duration UNAVAILABLE_PAUSE = Duration.ofSeconds(1);

  /**
   * The finish and what a statement left for the commit have this long: slots of topics are locked
   * meanwhile, and others wait for them.
   */
  private static final int COMMIT_MS = 30_000;

  /**
   * Whatever the statement has set counts no more. A worker that freezes between the finish and the
   * commit must not keep its session and slots locked: the server then ends the transaction.
   */
  private static final String CLEAN =
      "reset session authorization; reset all; set idle_in_transaction_session_timeout = '10s'";

  /** From this version on the server notices by itself that the worker has died. */
  private static final int NOTICES_DEATH = 14;

  private final PostgresStore store;
  private final Door door;
  private final TaskId task;
  private final long token;
  private volatile boolean stopping;
  private volatile @Nullable Connection running;

  SqlAttempt(PostgresStore store, Door door, TaskId task, long token) {
    this.store = store;
    this.door = door;
    this.task = task;
    this.token = token;
  }

  @Override
  public Decision call() throws Exception {
    Door.Entry entry;
    try {
      entry = door.enter(task, token);
    } catch (StoreException e) {
      return later(e);
    }
    return switch (entry) {
      case Door.Entry.Refused refused -> failed("The SQL task cannot run: " + refused.why());
      case Door.Entry.Closed closed -> Decision.of(new Outcome.Released(closed.again()));
      case Door.Entry.Open open -> {
        try {
          yield runAndClose(open.connection(), open.launcher());
        } finally {
          door.leave();
        }
      }
    };
  }

  /** Asks the server to stop. */
  void cancel() {
    stopping = true;
    try {
      Connection connection = running;
      if (connection != null) {
        connection.unwrap(PGConnection.class).cancelQuery();
      }
    } catch (SQLException e) {
      LOG.debug("Could not ask the server to stop SQL task {}", task, e);
    }
  }

  /** Cuts the connection. */
  void abort() {
    try {
      Connection connection = running;
      if (connection != null) {
        connection.abort(Runnable::run);
      }
    } catch (SQLException e) {
      LOG.debug("Could not cut the connection of SQL task {}", task, e);
    }
  }

  private Decision runAndClose(Connection connection, String launcher) throws SQLException {
    int backend = connection.unwrap(PGConnection.class).getBackendPID();
    try (connection) {
      running = connection;
      Admission admission = Admission.ask(store, task, token, backend);
      if (admission.refused() != null) {
        return Decision.of(new Outcome.Released(door.close(admission.refused())));
      }
      door.passed();
      if (!admission.inTransaction() && !admission.direct()) {
        return failed(
            "A SQL task without a transaction needs a connection that is logged in as the role that"
                + " launched it: give the worker RoleConnections.launchers");
      }
      prepare(connection, admission);
      return stopping
          ? Decision.of(new Outcome.Released())
          : run(connection, admission, () -> door.end(launcher, backend));
    } catch (StoreException e) {
      return later(e);
    } catch (SQLException e) {
      if (SqlError.lost(e)) { // it may still be at work, and hold what others wait for
        door.end(launcher, backend);
      }
      return stopping ? Decision.of(new Outcome.Released()) : retried(e);
    } catch (OutOfMemoryError e) { // the length of one notice, row or error comes before its text
      door.end(launcher, backend);
      return failed(SqlError.TOO_MUCH);
    } finally {
      running = null;
    }
  }

  private static void prepare(Connection connection, Admission admission) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      if (admission.leftBehind() > 0) {
        endBackend(statement, admission.leftBehind());
      }
      noticeDeath(connection, statement);
      statement.execute(
          "set client_min_messages = error; set statement_timeout = " + admission.timeoutMs());
    }
  }

  /** Runs an earlier attempt still: it cannot commit any more, but it may hold locks. */
  private static void endBackend(Statement statement, int pid) {
    try {
      statement.execute("select pg_catalog.pg_terminate_backend(" + pid + ")");
    } catch (SQLException e) {
      LOG.warn("Backend {} still runs an earlier attempt: {}", pid, e.getMessage());
    }
  }

  private static void noticeDeath(Connection connection, Statement statement) throws SQLException {
    if (connection.getMetaData().getDatabaseMajorVersion() >= NOTICES_DEATH) {
      statement.execute("set client_connection_check_interval = '1s'");
    }
  }

  private Decision run(Connection connection, Admission admission, Runnable end)
      throws SQLException {
    connection.setAutoCommit(!admission.inTransaction());
    try (Statement statement = connection.createStatement()) {
      statement.setEscapeProcessing(false);
      Returned returned = runInTime(connection, statement, admission, end);
      statement.execute(CLEAN);
      noticeDeath(connection, statement);
      connection.setNetworkTimeout(Runnable::run, COMMIT_MS);
      try {
        if (stopping || !finish(connection, admission, returned)) {
          return failed("The SQL task was finished too late: its lease was lost");
        }
      } catch (SQLException e) {
        if (!Failures.isLocked(e)) {
          throw e;
        }
        LOG.info("Somebody else has locked SQL task {}: {}", task, e.getMessage());
        return admission.inTransaction()
            ? Decision.of(new Outcome.Released(UNAVAILABLE_PAUSE)) // its effect is taken back
            : Decision.of(new Outcome.Finished(returned.json())); // its effect stays
      }
      if (admission.inTransaction()) {
        connection.commit();
      }
      return Decision.recorded(new Outcome.Finished(returned.json()));
    }
  }

  private static Returned runInTime(
      Connection connection, Statement statement, Admission admission, Runnable end)
      throws SQLException {
    try (Deadline deadline = new Deadline(admission.timeoutMs(), end)) {
      try {
        return admission.inTransaction()
            ? inTransaction(statement, admission)
            : alone(connection, statement, admission);
      } catch (SQLException e) {
        throw deadline.cause(e);
      }
    }
  }

  /**
   * What a statement came to.
   *
   * @param result the first rows, in JSON
   */
  private record Returned(long rows, @Nullable String result) {
    String json() {
      return "{\"rows\": " + rows + ", \"result\": " + result + "}";
    }
  }

  private static Returned inTransaction(Statement statement, Admission admission)
      throws SQLException {
    try (ResultSet row =
        statement.executeQuery("select rows, result from " + admission.call() + "()")) {
      row.next();
      return new Returned(row.getLong("rows"), row.getString("result"));
    }
  }

  private static Returned alone(Connection connection, Statement statement, Admission admission)
      throws SQLException {
    try (PreparedStatement set =
        connection.prepareStatement("select pg_catalog.set_config('search_path', ?, false)")) {
      set.setString(1, admission.searchPath());
      set.execute();
    }
    statement.execute(admission.statement());
    if (connection.unwrap(BaseConnection.class).getTransactionState() != TransactionState.IDLE) {
      throw new SQLException(
          "The statement left a transaction open, which was rolled back: end it with commit, or"
              + " launch it without begin and with transaction => true",
          "25001");
    }
    return new Returned(Math.max(0, statement.getLargeUpdateCount()), null);
  }

  private static boolean finish(Connection connection, Admission admission, Returned returned)
      throws SQLException {
    try (PreparedStatement finish =
        connection.prepareStatement("select berth.finish_sql(?, ?, ?)")) {
      finish.setObject(1, admission.proof());
      finish.setLong(2, returned.rows());
      finish.setObject(3, returned.result(), Types.OTHER);
      try (ResultSet row = finish.executeQuery()) {
        row.next();
        return row.getBoolean(1);
      }
    }
  }

  /** The store did not answer before anything ran: no attempt is spent. */
  private static Decision later(StoreException e) {
    if (e.kind() != StoreException.Kind.UNAVAILABLE) {
      throw e;
    }
    return Decision.of(new Outcome.Released(UNAVAILABLE_PAUSE));
  }

  private Decision retried(SQLException failure) {
    String error = SqlError.text(failure);
    Long delay =
        store
            .database()
            .run(
                "look how often SQL task " + task + " is tried again",
                Statements.RETRY_SQL,
                statement -> {
                  statement.setObject(1, task.value());
                  statement.setLong(2, token);
                  statement.setBoolean(3, SqlError.lost(failure) && !BoundedSockets.broke(failure));
                  statement.setArray(
                      4, Arrays.uuids(statement.getConnection(), store.proofs(), proof -> proof));
                  try (ResultSet row = statement.executeQuery()) {
                    row.next();
                    return row.getObject(1, Long.class);
                  }
                });
    return delay == null
        ? failed(error)
        : Decision.of(new Outcome.Retrying(error, Duration.ofMillis(delay)));
  }

  private static Decision failed(String error) {
    return Decision.of(new Outcome.Failed(error));
  }
}
