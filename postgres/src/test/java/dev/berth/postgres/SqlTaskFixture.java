package dev.berth.postgres;

import static org.awaitility.Awaitility.await;

import dev.berth.Berth;
import dev.berth.worker.Worker;
import dev.berth.worker.WorkerBuilder;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.awaitility.core.ConditionFactory;

/** A database with two roles that may launch SQL tasks, and the runner without any rights. */
final class SqlTaskFixture implements AutoCloseable {

  private static final Set<Servers> WITH_ROLES = EnumSet.noneOf(Servers.class);

  final TestDatabase database;
  final PostgresStore store;
  final Berth berth;
  final SqlTasks sql;
  private final List<Worker> workers = new ArrayList<>();

  SqlTaskFixture(Servers server) {
    this.database = TestDatabase.on(server);
    this.store = PostgresStore.of(database.pool());
    this.berth = Berth.on(store);
    this.sql = SqlTasks.on(store);
    makeRoles(server);
    database.run(
        "select berth.allow_launch('alice')",
        "select berth.allow_launch('bob')",
        "create schema alice authorization alice",
        "create table public.leaked (how text, value text)",
        "grant all on public.leaked to alice, bob",
        "create table public.secret as select 'for the owner only' as value",
        "create table public.bobs as select 'for bob only' as value",
        "alter table public.bobs owner to bob");
  }

  /** Roles are those of the whole server. */
  private void makeRoles(Servers server) {
    synchronized (WITH_ROLES) {
      if (WITH_ROLES.add(server)) {
        server.createRole("berth_runner", "noinherit");
        server.createRole("alice");
        server.createRole("bob");
        server.createRole("nobody");
        server.createRole("naive_worker"); // may become each launcher, and reads the secret
        database.run("grant alice, bob to naive_worker");
      }
    }
  }

  String url(String role) {
    return Sql.as(role, database.url());
  }

  /** Runs SQL as a role. */
  void as(String role, String... statements) throws SQLException {
    try (Connection connection = DriverManager.getConnection(url(role));
        Statement statement = connection.createStatement()) {
      for (String each : statements) {
        statement.execute(each);
      }
    }
  }

  /** The first column of the first row. */
  String one(String role, String query) throws SQLException {
    try (Connection connection = DriverManager.getConnection(url(role));
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(query)) {
      row.next();
      return row.getString(1);
    }
  }

  /**
   * Launches.
   *
   * @param options such as {@code , topics => '{a}'}
   */
  String launch(String role, String statement, String options) throws SQLException {
    return one(role, "select berth.launch($berth$" + statement + "$berth$" + options + ")");
  }

  String launch(String role, String statement) throws SQLException {
    return launch(role, statement, "");
  }

  /** A worker with the powerless runner. */
  Worker work() {
    return work(RoleConnections.runner(url("berth_runner")), worker -> worker);
  }

  Worker work(RoleConnections connections, UnaryOperator<WorkerBuilder> settings) {
    return work(connections, SqlOptions.DEFAULT, settings);
  }

  Worker work(
      RoleConnections connections, SqlOptions options, UnaryOperator<WorkerBuilder> settings) {
    WorkerBuilder builder =
        berth.worker().maxConcurrentTasks(20).stopTimeout(Duration.ofSeconds(5));
    Worker worker = sql.runBy(settings.apply(builder), connections, options).start();
    workers.add(worker);
    return worker;
  }

  RoleConnections launchers() {
    return RoleConnections.launchers(database.url().replace("user=postgres&", ""));
  }

  /** A column of the view, as its owner sees it. */
  String see(String id, String column) {
    return database.one("select " + column + " from berth.sql_tasks where id = '" + id + "'");
  }

  /** Looks often: a statement takes a moment only. */
  static ConditionFactory soon() {
    return await().pollDelay(Duration.ZERO).pollInterval(Duration.ofMillis(10));
  }

  void awaitState(String id, String state) {
    soon()
        .failFast(
            "the task has ended otherwise",
            () -> {
              if (see(id, "closed_at is not null and state <> '" + state + "'").equals("t")) {
                throw new AssertionError(see(id, "state || ' ' || coalesce(errors, '')"));
              }
            })
        .until(() -> see(id, "state").equals(state));
  }

  void advance(Duration by) {
    database.run(
        "update berth_private.clock set shift = shift + interval '1 millisecond' * "
            + by.toMillis());
  }

  @Override
  public void close() {
    workers.forEach(Worker::stop);
    berth.close();
    database.run("drop owned by alice, bob, nobody, naive_worker, berth_runner cascade");
    database.run("drop table if exists public.leaked, public.secret, public.bobs cascade");
    database.close();
  }
}
