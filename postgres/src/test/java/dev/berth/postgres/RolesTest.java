package dev.berth.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import dev.berth.Berth;
import dev.berth.limit.Limit;
import dev.berth.task.TaskId;
import dev.berth.view.AuditFilter;
import dev.berth.view.StoreReader;
import dev.berth.view.TaskFilter;
import dev.berth.worker.Worker;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Four grants: each lets a role do its job, and nothing else. */
class RolesTest {

  private static final AtomicInteger ROLES = new AtomicInteger();
  private static final Duration LONG = Duration.ofSeconds(30);

  private String url;

  private void on(Servers server) {
    url = server.database();
  }

  /** Two releases at once leave a row behind, which is in nobody's way. */
  @AfterEach
  void nothingDrifted() {
    assertThat(Sql.query(url, "select key from berth.slot_drift where counter <> 'UNUSED'"))
        .isEmpty();
  }

  @ParameterizedTest
  @EnumSource
  void aSubmitterSubmitsAndNothingElse(Servers server) throws SQLException {
    on(server);
    String role = role(server, "submitter");
    Sql.run(url, "select berth.allow_submit('%s')".formatted(role));
    try (HikariDataSource pool = Servers.pool(Sql.as(role, url));
        Berth berth = Berth.on(PostgresStore.of(pool))) {
      TaskId one = berth.submit(Nap.TYPE, new Nap(0));
      berth.submit(Nap.TYPE.limit(2), new Nap(0), o -> o.id("order-42").priority(9));
      Limit gpu = Limit.of("gpu", 2).pace(Duration.ofMillis(1));
      berth.submit(Nap.TYPE.under(gpu), new Nap(0), o -> o.delay(LONG));
      berth.workflow("w").then("a", Nap.TYPE, new Nap(0)).then("b", Nap.TYPE, new Nap(0)).submit();
      assertThatThrownBy(() -> berth.find(one))
          .hasMessageContaining("permission denied for view tasks")
          .hasMessageContaining("berth.allow_read");
    }
    as(role, "select berth.submit('nap', '{\"millis\": 0}', quotas => '{\"type/nap\": 100}')");
    as(role, "select berth.submit_step('w', 'c', 'nap')");
    assertThat(Sql.query(url, "select count(*) from berth.tasks")).containsExactly("7");
    refused(
        role,
        "select * from berth.tasks",
        "select * from berth_private.task",
        "insert into berth_private.task (id) values (gen_random_uuid())",
        "insert into berth.submitting (type, caller) values ('nap', 'postgres')",
        "insert into berth.submitting_batch (ids, types, caller) values ('{}', '{}', 'postgres')",
        "select berth.cancel('%s')".formatted(UUID.randomUUID()),
        "select berth.set_limit('limit/gpu', 100)",
        "select * from berth.exchange(1, 1, null, 1, '{}', '{}', '{}', '{}', '{}', '{}', '{}',"
            + " '{}', '{}', '{}', '{}', 1)",
        "select berth_private.submit_task('nap', 'null', 'default', 5, null, null, null, null,"
            + " null)",
        "select berth.launch('select 1')",
        "select berth.allow_read('%s')".formatted(role));
    drop(role, "submit");
  }

  @ParameterizedTest
  @EnumSource
  void aSubmitterOfSomeTypesAndQueuesSubmitsNoOthers(Servers server) throws SQLException {
    on(server);
    String role = role(server, "mailer");
    String member = role(server, "member");
    String definer = role(server, "definer");
    Sql.run(
        url,
        "grant %s to %s".formatted(role, member),
        "select berth.allow_submit('%s', types => '{mail}', queues => '{default,bulk}')"
            .formatted(role),
        "select berth.allow_submit('%s', types => '{print}')".formatted(definer),
        "create schema shared",
        "grant all on schema shared to public");
    for (String who : List.of(role, member)) {
      as(who, "select berth.submit('mail')", "select berth.submit('mail', queue => 'bulk')");
      as(who, "select berth.submit('mail', quotas => '{\"type/mail\": 100}')");
      refused(
          who,
          "select berth.submit('print')",
          "select berth.submit('mail', queue => 'other')",
          "select berth.submit('mail', quotas => '{\"type/print\": 0}')",
          "select berth.submit_step('w', 'a', 'print')",
          "insert into berth.submitting_one (id, type, queue, priority, payload) values"
              + " (gen_random_uuid(), 'print', 'default', 5, 'null')",
          // would block or cancel what is of other types
          "insert into berth.submitting_one (id, type, queue, priority, payload, lane, limits,"
              + " weights, said_slots) values (gen_random_uuid(), 'mail', 'default', 5, 'null',"
              + " 'type/print', '{type/print}', '{1}', '{0}')",
          batchOfMail(
              "lanes, limits, weights, said_slots", "type/print", "{type/print}", "{1}", "{0}"),
          batchOfMail("quotas, mosts, when_full", "{limit/shared}", "{1}", "{cancel}"),
          "set role %s; select berth.submit('print')".formatted(role));
    }
    // the role in force counts, not the login and not a name that somebody says
    as(
        definer,
        "create function shared.print() returns uuid language sql security definer as"
            + " $$ select berth.submit('print') $$",
        "create function shared.mail() returns uuid language sql security definer as"
            + " $$ select berth.submit('mail') $$");
    as(member, "select shared.print()");
    refused(member, "select shared.mail()");
    assertThat(
            Sql.query(
                url, "select type || ' ' || count(*) from berth.tasks group by type order by 1"))
        .containsExactly("mail 6", "print 1");
    Sql.run(url, "drop schema shared cascade");
    drop(role, "submit");
    drop(definer, "submit");
    Sql.run(url, "drop role " + member);
  }

  /** What `berth.submit` refuses is refused where the Java client submits too. */
  @ParameterizedTest
  @EnumSource
  void aSubmitterCannotGoPastALimitOfItsType(Servers server) throws SQLException {
    on(server);
    String role = role(server, "submitter");
    String limits = "lanes, limits, weights, said_slots";
    Sql.run(
        url,
        "select berth.allow_submit('%s')".formatted(role),
        "select berth.set_limit('type/mail', 1)");
    as(
        role,
        one("mail", "type/mail"),
        one("mail", "type/mail/user/7"), // writes nothing: for what is under no more than it names
        "select berth.submit('mail')",
        batch("mail", "names", "a"),
        batch("mail", limits, limitedBy("limit/gpu")),
        batch("mail", limits, limitedBy("type/mail/user/7")));
    assertThat(
            Sql.query(url, "select 'type/mail' = any (limits) from berth_private.task group by 1"))
        .containsExactly("t");
    assertThat(Sql.query(url, "select count(*) from berth.tasks")).containsExactly("5");
    refusedWith(
        "cannot be under the limit type/print, which is one of another type",
        role,
        "insert into berth.submitting_one (id, type, queue, priority, payload, lane, limits,"
            + " weights, said_slots) values (gen_random_uuid(), 'type', 'default', 5, 'null',"
            + " 'type/type type/print', '{type/type,type/print}', '{1,1}', '{1,1}')");
    for (String other : List.of("type/print", "type/print/user/7", "type/print/user/é")) {
      refusedWith(
          "cannot be under the limit " + other + ", which is one of another type",
          role,
          "select berth.submit('mail', limits => '{\"%s\": 1}')".formatted(other),
          one("mail", other),
          batch("mail", limits, limitedBy(other)));
    }
    refusedWith(
        "Tasks of type berth.sql are launched, with berth.launch",
        role,
        "select berth.submit('berth.sql')",
        one("berth.sql", ""),
        batch("berth.sql", "names", "a"));
    drop(role, "submit");
  }

  /** A full quota could cancel what is in other queues, and a limit of no slots block it. */
  @ParameterizedTest
  @EnumSource
  void aSubmitterOfSomeQueuesCancelsAndBlocksNothingInOthers(Servers server) throws SQLException {
    on(server);
    String role = role(server, "mailer");
    Sql.run(url, "select berth.allow_submit('%s', queues => '{default}')".formatted(role));
    Sql.run(url, "select berth.set_limit('limit/gpu', 3)");
    String quotas = "quotas, mosts, when_full";
    String limits = "lanes, limits, weights, said_slots";
    as(
        role,
        batchOfMail(quotas, "{limit/shared}", "{1}", "{refuse}"),
        batchOfMail(limits, limitedBy("limit/gpu")),
        one("mail", "limit/gpu"),
        "select berth.submit('mail', limits => '{\"limit/gpu\": 1}')",
        "select berth.submit('mail', limits => '[\"limit/gpu\"]')");
    refused(
        role,
        batchOfMail(quotas, "{limit/shared}", "{1}", "{cancel}"),
        batchOfMail(quotas, "{type/mail,limit/shared}", "{1,1}", "{refuse,replace}"),
        batchOfMail(limits, "limit/gpu", "{limit/gpu}", "{1}", "{0}"),
        one("mail", "limit/gpu").replace("'{1}')", "'{0}')"),
        "select berth.submit('mail', limits => '{\"limit/gpu\": 0}')",
        "select berth.submit('mail', limits => '{\"limit/gpu\": {\"slots\": 0}}')",
        "select berth.submit_step('w', 'a', 'mail', limits => '{\"limit/gpu\": 0}')");
    Sql.run(
        url,
        "select berth.register_type_quotas('{mail}', '{mail}', '{type/mail}', '{1}', '{replace}')");
    refused(role, "select berth.submit('mail')", "select berth.submit_step('w', 'a', 'mail')");
    Sql.run(
        url,
        "select berth.register_type_quotas('{mail}', '{mail}', '{type/mail}', '{100}',"
            + " '{refuse}')");
    as(role, "select berth.submit('mail')");
    drop(role, "submit");
  }

  @ParameterizedTest
  @EnumSource
  void aSubmitterOfSomeTypesNamesThePaceOfNoOther(Servers server) throws SQLException {
    on(server);
    String role = role(server, "mailer");
    String worker = role(server, "worker");
    Sql.run(
        url,
        "select berth.allow_submit('%s', types => '{mail}')".formatted(role),
        "select berth.allow_work('%s')".formatted(worker));
    String pace =
        "insert into berth.naming_paces (keys, paces) values ('{limit/gpu,type/%s}', '{1000,%s}')";
    as(role, pace.formatted("mail", "1000"));
    as(worker, pace.formatted("print", "1000"));
    refused(
        role,
        pace.formatted("print", "1000"),
        "insert into berth.naming_paces (keys, paces, caller) values ('{}', '{}', 'postgres')");
    refusedWith(
        "can be zero to 1 day, not 86400000001", role, pace.formatted("mail", "86400000001"));
    drop(role, "submit");
    drop(worker, "work");
  }

  /** An id may be known, or be guessed from a name. */
  @ParameterizedTest
  @EnumSource
  void aConflictTellsASubmitterNothingOfTheOtherTask(Servers server) throws SQLException {
    on(server);
    String role = role(server, "mailer");
    Sql.run(
        url,
        "select berth.allow_submit('%s', types => '{mail}')".formatted(role),
        "select berth.submit('treason', name => 'of-carol')",
        "select berth.submit('mail', name => 'of-carol')");
    for (String type : List.of("treason", "mail")) {
      UUID id = TaskId.named(type, "of-carol").value();
      for (String submit :
          List.of(
              "select berth.submit('mail', '1', id => '%s')".formatted(id),
              "insert into berth.submitting_batch (ids, types, queues, priorities, delays,"
                  + " payloads, repeat, advance) values (array['%s'::uuid], '{mail}', '{default}',"
                      .formatted(id)
                  + " '{5}', '{0}', array['1'], true, true)")) {
        refusedWith(
            "The task %s of type mail was not submitted: this id belongs to a task of %s\\n"
                .formatted(
                    id, type.equals("mail") ? "type mail with another payload" : "another type"),
            role,
            submit);
      }
    }
    drop(role, "submit");
  }

  @ParameterizedTest
  @EnumSource
  void aWorkerWorksAndNothingElse(Servers server) throws Exception {
    on(server);
    String role = role(server, "worker");
    Sql.run(url, "select berth.allow_work('%s')".formatted(role));
    try (HikariDataSource owner = Servers.pool(url);
        Berth submitter = Berth.on(PostgresStore.of(owner));
        HikariDataSource pool = Servers.pool(Sql.as(role, url));
        Berth berth = Berth.on(PostgresStore.of(pool));
        Worker worker =
            berth
                .worker()
                .handle(Nap.TYPE.limit(3), (nap, task) -> task.progress("half"))
                .start()) {
      assertThat(worker).isNotNull();
      berth.schedule("often").every(Duration.ofSeconds(1)).submits(Nap.TYPE, new Nap(0));
      for (int i = 0; i < 20; i++) {
        submitter.submit(Nap.TYPE, new Nap(0));
      }
      TaskId last = submitter.submit(Nap.TYPE, new Nap(0), o -> o.delay(Duration.ofMillis(50)));
      submitter.await(Nap.TYPE, last, LONG);
      Limit gpu = Limit.of("gpu", 1).pace(Duration.ofMillis(1));
      assertThat(berth.limits().tryAcquire(gpu)).hasValueSatisfying(slot -> slot.close());
    }
    refused(
        role,
        "select * from berth.tasks",
        "select * from berth_private.task",
        "update berth_private.task_limit set slots = 100",
        "select berth.submit('nap')",
        "select berth.set_limit('type/nap', 100)",
        "select berth_private.end_sessions('{1}', 'released')",
        "create function berth.now() returns integer language sql as 'select 1'");
    drop(role, "work");
  }

  @ParameterizedTest
  @EnumSource
  void aReaderReadsAndNothingElse(Servers server) throws SQLException {
    on(server);
    String role = role(server, "reader");
    Sql.run(url, "select berth.allow_read('%s')".formatted(role));
    try (HikariDataSource owner = Servers.pool(url);
        Berth submitter = Berth.on(PostgresStore.of(owner));
        HikariDataSource pool = Servers.pool(Sql.as(role, url));
        Berth berth = Berth.on(PostgresStore.of(pool))) {
      TaskId id = submitter.submit(Nap.TYPE.limit(1), new Nap(0));
      submitter.workflow("w").then("a", Nap.TYPE, new Nap(0)).submit();
      submitter.schedule("often").every(LONG).submits(Nap.TYPE, new Nap(0));
      StoreReader reader = berth.reader();
      assertThat(reader.find(id)).isPresent();
      assertThat(reader.explain(id)).isPresent();
      assertThat(reader.list(TaskFilter.ALL)).hasSize(2);
      assertThat(reader.attempts(id)).isEmpty();
      assertThat(reader.queues()).isNotEmpty();
      assertThat(reader.sessions()).isEmpty();
      assertThat(reader.limits()).isNotNull();
      assertThat(reader.quotas()).isNotNull();
      assertThat(reader.schedules()).hasSize(1);
      assertThat(reader.workflow("w")).isPresent();
      assertThat(reader.workflows(10)).hasSize(1);
      assertThat(reader.audit(AuditFilter.ALL)).isEmpty();
      assertThat(reader.drift()).isEmpty();
    }
    for (String view :
        List.of(
            "tasks",
            "attempts",
            "sessions",
            "queues",
            "workflows",
            "schedules",
            "topics",
            "slot_drift")) {
      as(role, "select * from berth." + view);
    }
    refused(
        role,
        "select berth.submit('nap')",
        "select berth.sweep()",
        "select berth.cancel('%s')".formatted(UUID.randomUUID()),
        "select * from berth_private.task",
        "update berth.tasks set payload = 'null'",
        "select * from berth.sql_tasks");
    drop(role, "read");
  }

  @ParameterizedTest
  @EnumSource
  void aLauncherLaunchesWhatAWorkerRunsAndNothingElse(Servers server) throws SQLException {
    on(server);
    String launcher = role(server, "launcher");
    String role = role(server, "worker");
    String runner = "runner_" + ROLES.incrementAndGet();
    server.createRole(runner, "noinherit");
    Sql.run(
        url,
        "select berth.allow_launch('%s', '%s')".formatted(launcher, runner),
        "select berth.allow_work('%s')".formatted(role));
    as(
        launcher,
        "select berth.launch('select current_user as me', topics => '{reports}')",
        "select berth.launch('select * from berth_private.task')");
    try (HikariDataSource pool = Servers.pool(Sql.as(role, url));
        PostgresStore store = PostgresStore.of(pool);
        Berth berth = Berth.on(store);
        Worker worker =
            SqlTasks.on(store)
                .runBy(berth.worker(), RoleConnections.runner(Sql.as(runner, url)))
                .start()) {
      await().until(() -> worker.stats().finished() == 1 && worker.stats().failed() == 1);
    }
    assertThat(
            Sql.query(
                Sql.as(launcher, url),
                "select coalesce(result -> 0 ->> 'me', errors) from berth.sql_tasks order by 1"))
        .containsExactlyInAnyOrder(
            launcher, "attempt 1: 42501: permission denied for schema berth_private");
    refused(
        launcher,
        "select * from berth.tasks",
        "select * from berth_private.sql_task",
        "select berth.submit('nap')",
        "select berth.sweep()",
        "insert into berth.launching (statement, launcher) values ('select 1', 'postgres')");
    refused(role, "select berth.launch('select 1')", "select * from berth.sql_tasks");
    drop(launcher, "launch");
    drop(role, "work");
    Sql.run(url, "drop owned by " + runner, "drop role " + runner);
  }

  /** A dump names roles: on another server their numbers are those of others. */
  @Test
  void grantsAreOfNamesInADump() {
    on(Servers.NEWEST);
    String role = role(Servers.NEWEST, "dumped");
    Sql.run(url, "select berth.allow_read('%s')".formatted(role));
    assertThat(Sql.query(url, "select role::text from berth_private.role_grant"))
        .containsExactly(role);
    drop(role, "read");
  }

  /** A backslash in a text of ours would be taken out of it. */
  @ParameterizedTest
  @EnumSource
  void settingsOfTheCallerChangeNoCheck(Servers server) throws SQLException {
    on(server);
    String role = role(server, "submitter");
    Sql.run(url, "select berth.allow_submit('%s')".formatted(role));
    try (Connection connection = DriverManager.getConnection(Sql.as(role, url));
        Statement statement = connection.createStatement()) {
      statement.execute("set standard_conforming_strings = off");
      for (String attack :
          List.of(
              "select berth.submit('  ')",
              "select berth.submit(chr(7))",
              "select berth.submit('a', limits => '{\"limit/ \": 1}')",
              "select berth.submit('a', queue => chr(8195))")) {
        assertThatThrownBy(() -> statement.execute(attack))
            .as(attack)
            .hasMessageMatching("(?s).*(blank|control character|is not the key of a limit).*");
      }
      statement.execute("select berth.submit('s')");
    }
    drop(role, "submit");
  }

  /**
   * plpgsql compiles a function once per session, with names as they resolve then. Whoever could
   * make it compile one that later runs with the rights of the owner would bring in types that call
   * functions.
   */
  @ParameterizedTest
  @EnumSource
  void typesOfACallerNeverRunAsTheOwner(Servers server) throws SQLException {
    on(server);
    String all = role(server, "attacker");
    String launcher = role(server, "launcher");
    String runner = "runner_" + ROLES.incrementAndGet();
    server.createRole(runner, "noinherit");
    Sql.run(
        url,
        "create sequence public.loot",
        "grant usage on sequence public.loot to public",
        "select berth.allow_submit('%s')".formatted(all),
        "select berth.allow_work('%s')".formatted(all),
        "select berth.allow_read('%s')".formatted(all),
        "select berth.allow_launch('%s', '%s')".formatted(all, runner),
        "select berth.allow_launch('%s', '%s')".formatted(launcher, runner));
    for (String role : List.of(launcher, all)) {
      for (String search : List.of("\"$user\", public", "pg_temp, pg_catalog, public")) {
        attackWithTypes(role, search);
      }
    }
    assertThat(Sql.query(url, "select is_called from public.loot"))
        .as("whether a type was used with the rights of somebody else")
        .containsExactly("f");
    for (String role : List.of(launcher, all)) {
      Sql.run(url, "select berth.forbid_launch('%s')".formatted(role));
      Sql.run(url, "drop owned by " + role + " cascade", "drop role " + role);
    }
    Sql.run(url, "drop owned by " + runner, "drop role " + runner);
  }

  /** What was stolen is noted in a way that no roll back undoes. */
  private void attackWithTypes(String role, String search) throws SQLException {
    try (Connection connection = DriverManager.getConnection(Sql.as(role, url));
        Statement statement = connection.createStatement()) {
      statement.execute(
          "create function pg_temp.steal() returns boolean language plpgsql as $$ begin if"
              + " current_user operator(pg_catalog.<>) '%s' then perform pg_catalog.nextval('public.loot');"
                  .formatted(role)
              + " end if; return true; end $$");
      for (String type :
          List.of("timestamptz", "text", "int4", "int8", "bool", "uuid", "jsonb", "name")) {
        statement.execute(
            "create domain pg_temp.\"%1$s\" as pg_catalog.%1$s check (pg_temp.steal())"
                .formatted(type));
      }
      statement.execute(
          "create function pg_temp.cardinality(pg_catalog.uuid[]) returns pg_catalog.int4 language"
              + " plpgsql as $$ begin perform pg_temp.steal(); return 1; end $$");
      statement.execute("set search_path = " + search);
      for (String attack : attacks(Migration.NEWEST)) {
        try {
          statement.execute(attack);
        } catch (SQLException e) {
          // refused or not: it was compiled
        }
      }
    }
  }

  private static List<String> attacks(int schema) {
    String proof = "pg_catalog.gen_random_uuid()";
    return List.of(
        "select berth_private.submit_task('x', 'null', 'default', 5, null, null, null, null, null,"
            + " null)",
        "select berth.submit('x')", // the attack of a launcher: compile this,
        "select berth.launch('select 1')", //   and have it run with more rights
        "select berth.submit('x', due_at => pg_catalog.now() + '1 hour')",
        "select berth.submit_step('w', 'a', 'x')",
        one("x", ""),
        one("x", "type/x"),
        batch("x", "names", "a"),
        "insert into berth.submitting (type, payload, queue, priority) values ('x', '1', 'q', 5)",
        "insert into berth.naming_paces (keys, paces) values ('{limit/x}', '{1}')",
        "select berth.register_types('{x}', '{7}', '{7}', '{5}')",
        "select * from berth.register_limits('{x}', '{type/x}', '{1}', '{null}', '{f}')",
        "select berth.register_type_limits('{x}', '{x}', '{type/x}', '{1}', '{1}')",
        "select berth.register_type_quotas('{x}', '{x}', '{type/x}', '{1}', '{refuse}')",
        "select berth.register_topics('{a}', '{1}', '{1}', '{1}')",
        "select * from berth.open_session(%d, 'w', null, '1 hour', 1, '{x}', '{default}')"
            .formatted(schema),
        "select * from berth.exchange(%d, 1, %s, 1, '{}', '{}', '{}', '{}', '{}', '{default}', '{5}',"
                .formatted(schema, proof)
            + " '{null}', '{plain}', '{null}', '{x}', 1)",
        "select * from berth.heartbeat(%d, 1, %s, 1, 1, 0, '{}', '{}', '{}')"
            .formatted(schema, proof),
        "select * from berth.sweep()",
        "select * from berth.tasks",
        "select * from berth.workflows",
        "select * from berth.topics",
        "select * from berth.sql_tasks",
        "select * from berth.audit()",
        "select * from berth.explain((select id from berth.tasks limit 1))");
  }

  /**
   * In PostgreSQL 13 and 14, and in databases that come from there, everybody can create in public.
   * An exact match of a stranger's is called instead of what PostgreSQL has for several types.
   */
  @ParameterizedTest
  @EnumSource
  void operatorsAndFunctionsThatOthersPutInTheWayAreNotCalled(Servers server) throws Exception {
    on(server);
    String squatter = role(server, "squatter");
    String launcher = role(server, "launcher");
    String worker = role(server, "worker");
    String reader = role(server, "reader");
    String runner = "runner_" + ROLES.incrementAndGet();
    server.createRole(runner, "noinherit");
    Sql.run(
        url,
        "grant create on schema public to public",
        "create sequence public.loot",
        "grant usage on sequence public.loot to public",
        "select berth.allow_launch('%s', '%s')".formatted(launcher, runner),
        "select berth.allow_work('%s')".formatted(worker),
        "select berth.allow_read('%s')".formatted(reader),
        "update berth_private.schema_version set checksum = 'older' where number = 0");
    plant(squatter);
    HikariDataSource owner = Servers.pool(url);
    HikariDataSource working = Servers.pool(Sql.as(worker, url));
    try (owner;
        working;
        Berth submitter = Berth.on(PostgresStore.of(owner)); // migrates
        PostgresStore store = PostgresStore.of(working);
        Berth berth = Berth.on(store);
        Worker works =
            SqlTasks.on(store)
                .runBy(
                    berth.worker().handle(Nap.TYPE.limit(2), (nap, task) -> {}),
                    RoleConnections.runner(Sql.as(runner, url)))
                .start()) {
      berth.schedule("often").every(Duration.ofSeconds(1)).submits(Nap.TYPE, new Nap(0));
      submitter.await(Nap.TYPE, submitter.submit(Nap.TYPE, new Nap(0)), LONG);
      submitter.submit(Nap.TYPE, new Nap(0), o -> o.delay(Duration.ofMillis(50)));
      submitter.submitAll(Nap.TYPE, Stream.of(new Nap(0), new Nap(1)));
      Sql.run(
          url,
          "insert into berth_private.task (id, position, due_at, submitted_at, state, type, queue,"
              + " payload, lane, limits, weights, said_slots) values (gen_random_uuid(), now(),"
              + " now(), now(), 'ready', 'nap', 'default', '{\"millis\": 0}', 'type/nap',"
              + " '{type/nap}', '{1}', '{2}')");
      as(
          launcher,
          "select berth.launch('select a from pg_catalog.generate_series(1, 3) as a', timeout =>"
              + " '1 minute')");
      await().until(() -> works.stats().finished() >= 7);
      assertThat(works.stats().failed()).isZero();
      assertThat(Sql.query(Sql.as(launcher, url), "select rows from berth.sql_tasks"))
          .containsExactly("3");
    }
    TaskId id = TaskId.of(UUID.fromString(Sql.query(url, "select id from berth.tasks").getFirst()));
    readEverything(Sql.as(reader, url), id);
    assertThat(Sql.query(url, "select is_called from public.loot"))
        .as("whether it was called with the rights of somebody else")
        .containsExactly("f");
    Sql.run(url, "drop owned by " + squatter + " cascade", "drop role " + squatter);
    drop(launcher, "launch");
    drop(worker, "work");
    drop(reader, "read");
    Sql.run(url, "drop owned by " + runner, "drop role " + runner);
  }

  private void readEverything(String url, TaskId id) {
    try (HikariDataSource pool = Servers.pool(url);
        PostgresStore store = PostgresStore.of(pool)) {
      StoreReader reader = store.reader();
      assertThat(reader.find(id)).isPresent();
      assertThat(reader.explain(id)).isPresent();
      assertThat(reader.named("nothing")).isEmpty();
      assertThat(reader.list(TaskFilter.ALL)).isNotEmpty();
      assertThat(reader.schedules()).hasSize(1);
      assertThat(reader.workflows(10)).isEmpty();
      reader.attempts(id);
      reader.queues();
      reader.sessions();
      reader.limits();
      reader.quotas();
      reader.audit(AuditFilter.ALL);
      reader.drift();
    }
  }

  /** Each notes, in a way that a roll back does not undo, that somebody else called it. */
  private void plant(String squatter) {
    String body =
        " language plpgsql as $$ begin if current_user operator(pg_catalog.<>) '%s'::pg_catalog.name then"
                .formatted(squatter)
            + " perform pg_catalog.nextval('public.loot'); raise exception 'STOLEN'; end if; return"
            + " null; end $$";
    List<String> planted = new ArrayList<>();
    for (String function :
        List.of(
            "format(text, name, name) returns text",
            "cardinality(uuid[]) returns integer",
            "cardinality(integer[]) returns integer",
            "cardinality(text[]) returns integer",
            "array_to_string(text[], text) returns text",
            "array_append(uuid[], uuid) returns uuid[]",
            "set_config(text, varchar, boolean) returns text",
            "pg_terminate_backend(integer) returns boolean")) {
      planted.add("create function public." + function + body);
    }
    planted.add(
        "create function public.unnest(text[]) returns setof text"
            + body.replace("return null", "return"));
    for (List<String> operator :
        List.of(
            List.of("!~", "name", "name", "boolean"),
            List.of("||", "name", "name", "text"),
            List.of("||", "regprocedure", "regprocedure", "text"),
            List.of("||", "bigint", "bigint", "text"),
            List.of("||", "text[]", "text", "text[]"),
            List.of("*", "bigint", "interval", "interval"),
            List.of("*", "numeric", "integer", "numeric"),
            List.of("*", "double precision", "integer", "double precision"),
            List.of("=", "varchar", "text", "boolean"),
            List.of("=", "text", "varchar", "boolean"))) {
      String name = "op_" + planted.size();
      planted.add(
          "create function public.%s(%s, %s) returns %s%s"
              .formatted(name, operator.get(1), operator.get(2), operator.get(3), body));
      planted.add(
          "create operator public.%s (leftarg = %s, rightarg = %s, function = public.%s)"
              .formatted(operator.get(0), operator.get(1), operator.get(2), name));
    }
    as(squatter, planted.toArray(String[]::new));
  }

  private static String batchOfMail(String columns, String... values) {
    return batch("mail", columns, values);
  }

  private static String batch(String type, String columns, String... values) {
    return "insert into berth.submitting_batch (ids, types, queues, priorities, delays, payloads,"
        + " repeat, advance, %s) values (array[gen_random_uuid()], '{%s}', '{default}', '{5}', '{0}',"
            .formatted(columns, type)
        + " array['null'], false, true, array['%s'])".formatted(String.join("'], array['", values));
  }

  private static String one(String type, String limit) {
    return "insert into berth.submitting_one (id, type, queue, priority, payload, lane, limits,"
        + " weights, said_slots) values (gen_random_uuid(), '%s', 'default', 5, 'null', %s)"
            .formatted(
                type,
                limit.isEmpty()
                    ? "null, null, null, null"
                    : "'%1$s', '{%1$s}', '{1}', '{1}'".formatted(limit));
  }

  private static String[] limitedBy(String key) {
    return new String[] {key, "{" + key + "}", "{1}", "{1}"};
  }

  private static String role(Servers server, String name) {
    String role = name + "_" + ROLES.incrementAndGet();
    server.createRole(role);
    return role;
  }

  private void as(String role, String... statements) {
    Sql.run(Sql.as(role, url), statements);
  }

  private void refused(String role, String... statements) throws SQLException {
    refusedWith("(permission denied|may not submit|cannot update view)", role, statements);
  }

  private void refusedWith(String why, String role, String... statements) throws SQLException {
    for (String sql : statements) {
      try (Connection connection = DriverManager.getConnection(Sql.as(role, url));
          Statement statement = connection.createStatement()) {
        assertThatThrownBy(() -> statement.execute(sql))
            .as("%s: %s", role, sql)
            .isInstanceOf(SQLException.class)
            .hasMessageMatching("(?s).*" + why + ".*");
      }
    }
  }

  /** What was given is taken back to the last right: else the role could not be dropped. */
  private void drop(String role, String what) {
    Sql.run(url, "select berth.forbid_%s('%s')".formatted(what, role), "drop role " + role);
  }
}
