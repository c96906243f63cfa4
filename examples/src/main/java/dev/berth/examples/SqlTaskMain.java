package dev.berth.examples;

import dev.berth.Berth;
import dev.berth.TaskFailedException;
import dev.berth.embedded.LocalPostgres;
import dev.berth.postgres.PostgresStore;
import dev.berth.postgres.PostgresStoreProvider;
import dev.berth.postgres.RoleConnections;
import dev.berth.postgres.SqlTasks;
import java.sql.DriverManager;
import java.time.Duration;

/** Statements that run in the background, with the rights of the role that launched them. */
public final class SqlTaskMain {

  private SqlTaskMain() {}

  public static void main(String[] arguments) throws Exception {
    try (var server = LocalPostgres.start();
        var pool = PostgresStoreProvider.pool(server.jdbcUrl());
        var store = PostgresStore.of(pool);
        var berth = Berth.on(store);
        var admin = pool.getConnection().createStatement()) {
      server.createRole("berth_runner", "noinherit"); // no rights of its own
      server.createRole("reporting");
      admin.execute("select berth.allow_launch('reporting')");
      admin.execute("create table sale as select n as cents from generate_series(1, 100) as n");
      admin.execute("create table salary as select 1 as cents");
      admin.execute("grant select on sale to reporting");

      var sql = SqlTasks.on(store);
      sql.topics().set("reports", 2, 1, null); // two at once, one retry

      try (var reporting = DriverManager.getConnection(as(server, "reporting"));
          var worker =
              sql.runBy(berth.worker(), RoleConnections.runner(as(server, "berth_runner")))
                  .start()) {
        var sum =
            SqlTasks.launch(reporting, "select sum(cents) from sale", o -> o.topics("reports"));
        var result = berth.await(SqlTasks.TYPE, sum, Duration.ofSeconds(30));
        System.out.println("The sales: " + result);

        var spy = SqlTasks.launch(reporting, "reset role; select * from salary", o -> o);
        try {
          berth.await(SqlTasks.TYPE, spy, Duration.ofSeconds(30));
        } catch (TaskFailedException e) {
          System.out.println("The salaries: " + berth.find(spy).orElseThrow().error());
        }
        System.out.println("Tasks finished: " + worker.stats().finished());
      }
    }
  }

  private static String as(LocalPostgres server, String role) {
    return server.jdbcUrl().replace("user=postgres", "user=" + role);
  }
}
