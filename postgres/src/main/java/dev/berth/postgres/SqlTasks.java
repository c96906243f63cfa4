package dev.berth.postgres;

import dev.berth.task.Retry;
import dev.berth.task.TaskId;
import dev.berth.task.TaskType;
import dev.berth.value.Texts;
import dev.berth.worker.WorkerBuilder;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.time.Duration;
import java.util.UUID;
import java.util.function.UnaryOperator;

/**
 * SQL tasks: statements that wait in the queue and run in the database, with the rights of the role
 * that launched them and no others. The statement and its outcome commit in one transaction.
 *
 * <pre>{@code
 * var sql = SqlTasks.on(store);
 * TaskId id = sql.launch("refresh materialized view sales", o -> o.topics("reports"));
 *
 * Worker worker = sql.runBy(berth.worker(), RoleConnections.runner(url)).start();
 * SqlResult result = berth.await(SqlTasks.TYPE, id, Duration.ofMinutes(1));
 * }</pre>
 */
public final class SqlTasks {

  /** The queue of SQL tasks that name no other. */
  public static final String QUEUE = "sql";

  /**
   * All SQL tasks are of this type; what they are is not in the payload, which is the name of the
   * launcher. How often one is tried again is up to its topics: the rule here is for attempts whose
   * outcome could not be found out, since the database did not answer.
   */
  public static final TaskType<String, SqlResult> TYPE =
      TaskType.of("berth.sql", String.class)
          .returning(SqlResult.class)
          .queue(QUEUE)
          .retry(Retry.exponential(6, Duration.ofSeconds(2), Duration.ofHours(1)));

  private final PostgresStore store;
  private final Database database;
  private final Topics topics;

  private SqlTasks(PostgresStore store) {
    this.store = store;
    this.database = store.database();
    this.topics = new Topics(database);
  }

  public static SqlTasks on(PostgresStore store) {
    return new SqlTasks(store);
  }

  /** Launches as the role of the store's connections. */
  public TaskId launch(String statement, UnaryOperator<LaunchOptions> options) {
    LaunchOptions said = options.apply(LaunchOptions.DEFAULT);
    return database.connected(
        "launch a SQL task", connection -> launch(connection, statement, said));
  }

  public TaskId launch(String statement) {
    return launch(statement, options -> options);
  }

  /** Launches as part of the transaction on this connection, and as the role in force there. */
  public static TaskId launch(
      Connection connection, String statement, UnaryOperator<LaunchOptions> options) {
    try {
      return launch(connection, statement, options.apply(LaunchOptions.DEFAULT));
    } catch (SQLException e) {
      throw Failures.of("launch a SQL task in the caller's transaction", e);
    }
  }

  /** The topics that SQL tasks are under. */
  public Topics topics() {
    return topics;
  }

  /** Lets a worker of the same store run SQL tasks, besides whatever else it does. */
  public WorkerBuilder runBy(
      WorkerBuilder worker, RoleConnections connections, SqlOptions options) {
    topics.register(options.topics());
    int workers = workersOfTheServer();
    return worker.decide(
        TYPE.limit(workers).limitPer("launcher", name -> name, (workers + 1) / 2),
        new SqlRunner(store, new Door(store, connections, options.reserve())));
  }

  public WorkerBuilder runBy(WorkerBuilder worker, RoleConnections connections) {
    return runBy(worker, connections, SqlOptions.DEFAULT);
  }

  /**
   * What caps them where nobody says otherwise, as in {@code functions/sqltask/check_launch.sql}.
   */
  private int workersOfTheServer() {
    return database.run(
        "look how many SQL tasks may run at once",
        Statements.MAX_WORKERS,
        prepared -> {
          try (ResultSet row = prepared.executeQuery()) {
            row.next();
            return Math.max(1, row.getInt(1));
          }
        });
  }

  private static TaskId launch(Connection connection, String statement, LaunchOptions said)
      throws SQLException {
    return Database.run(
        connection,
        Statements.LAUNCH,
        prepared -> {
          bind(connection, prepared, statement, said);
          try (ResultSet row = prepared.executeQuery()) {
            row.next();
            return new TaskId(row.getObject(1, UUID.class));
          }
        });
  }

  private static void bind(
      Connection connection, PreparedStatement prepared, String statement, LaunchOptions said)
      throws SQLException {
    Duration timeout = said.timeout();
    prepared.setString(1, Texts.check("The statement of a SQL task", statement));
    prepared.setArray(2, Arrays.texts(connection, said.topics()));
    prepared.setBoolean(3, said.transaction());
    prepared.setObject(4, timeout == null ? null : (Long) timeout.toMillis(), Types.BIGINT);
    prepared.setString(5, said.dueAt() == null ? null : said.dueAt().toString());
    prepared.setInt(6, said.priority());
    prepared.setString(7, said.queue());
    prepared.setObject(8, said.id() == null ? null : said.id().value(), Types.OTHER);
  }
}
