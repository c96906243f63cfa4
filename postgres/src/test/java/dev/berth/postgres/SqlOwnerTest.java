package dev.berth.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import dev.berth.Berth;
import dev.berth.worker.Worker;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** No superuser is needed: the schema, the launchers and the worker are those of a plain role. */
class SqlOwnerTest {

  @ParameterizedTest
  @EnumSource(Servers.class)
  void aPlainRoleOwnsTheSchemaAndRunsTheTasks(Servers server) {
    String admin = server.emptyDatabase();
    String name = admin.replaceAll(".*/|\\?.*", "");
    String owner = "owner_of_" + name;
    String launcher = "launcher_of_" + name;
    String stranger = "stranger_of_" + name;
    String runner = "runner_of_" + name;
    server.createRole(owner);
    server.createRole(launcher);
    server.createRole(stranger);
    server.createRole(runner, "noinherit");
    Sql.run(
        admin,
        "grant %s to %s".formatted(launcher, owner),
        "grant create on database %s to %s".formatted(name, owner));
    String url = Sql.as(owner, admin);
    try (HikariDataSource pool = Servers.pool(url, 8);
        PostgresStore store = PostgresStore.of(pool);
        Berth berth = Berth.on(store)) {
      Sql.run(url, "select berth.allow_launch('%s', '%s')".formatted(launcher, runner));
      assertThatThrownBy(() ->
              Sql.run(url, "select berth.allow_launch('%s', '%s')".formatted(stranger, runner)))
          .as("nobody hands out the rights of a role that is not theirs")
          .rootCause()
          .hasMessageMatching("(?s).*(must be member of role|must be able to SET ROLE).*");
      assertThat(
              Sql.query(
                  url, "select has_schema_privilege('%s', 'berth', 'create')".formatted(launcher)))
          .containsExactly("f");
      Sql.run(
          admin,
          "create table public.hers as select 1 as i",
          "alter table public.hers owner to " + launcher);
      Sql.run(
          Sql.as(launcher, admin),
          "select berth.launch('insert into hers values (2)', topics => '{a}')",
          "select berth.launch('select * from berth_private.task')");
      try (Worker worker =
          SqlTasks.on(store)
              .runBy(berth.worker(), RoleConnections.runner(Sql.as(runner, admin)))
              .start()) {
        await().until(() -> worker.stats().finished() == 1 && worker.stats().failed() == 1);
      }
      assertThat(Sql.query(admin, "select i from hers order by i")).containsExactly("1", "2");
      assertThat(Sql.query(url, "select errors from berth.sql_tasks where state = 'failed'"))
          .containsExactly("attempt 1: 42501: permission denied for schema berth_private");
      Sql.run(url, "select berth.forbid_launch('%s')".formatted(launcher));
    }
  }
}
