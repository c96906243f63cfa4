package dev.berth.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What the catalog says: nothing can be called or read but what the four grants name. */
class DoorsTest {

  private static final String OURS =
      " from pg_proc p join pg_namespace n on n.oid = p.pronamespace"
          + " where n.nspname in ('berth', 'berth_private') ";

  /** They run with the rights of whoever calls them, and so reach nothing private themselves. */
  private static final List<String> AS_THE_CALLER =
      List.of("launch", "run_ticket", "submit", "submit_step");

  /** For the owner, who has the rights anyway; a superuser may have to hand out others. */
  private static final List<String> GRANTS =
      List.of(
          "allow_launch",
          "allow_read",
          "allow_submit",
          "allow_work",
          "forbid_launch",
          "forbid_read",
          "forbid_submit",
          "forbid_work");

  /** Views into which a grant lets insert, all columns but that of the caller. */
  private static final Map<String, String> WAYS_IN =
      Map.of(
          "submit", "{submitting,submitting_batch,submitting_one,naming_paces}",
          "work", "{naming_paces}",
          "read", "{}",
          "launch", "{launching}");

  private static final String FIXED_PATH = "'search_path=pg_catalog, pg_temp' = any (proconfig)";

  @ParameterizedTest
  @EnumSource
  void nobodyMayCallAnythingThatWasNotGranted(Servers server) {
    String url = server.database();
    assertThat(
            Sql.query(
                url,
                "select p.oid::regprocedure"
                    + OURS
                    + "and exists (select from aclexplode(coalesce(p.proacl, acldefault('f',"
                    + " p.proowner))) a where a.grantee <> p.proowner)"))
        .isEmpty();
    assertThat(
            Sql.query(
                url,
                "select c.oid::regclass from pg_class c join pg_namespace n on n.oid ="
                    + " c.relnamespace where n.nspname in ('berth', 'berth_private') and exists"
                    + " (select from aclexplode(c.relacl) a where a.grantee <> c.relowner)"))
        .isEmpty();
    assertThat(
            Sql.query(
                url,
                "select n.nspname from pg_namespace n where n.nspname in ('berth', 'berth_private')"
                    + " and exists (select from aclexplode(n.nspacl) a where a.grantee <>"
                    + " n.nspowner)"))
        .isEmpty();
  }

  /** Nor anything that functions and views had from the start, by default privileges. */
  @ParameterizedTest
  @EnumSource
  void whatIsMadeIsNobodysWhateverTheDefault(Servers server) {
    String url = server.database();
    String role = "heir_" + System.nanoTime();
    server.createRole(role);
    Sql.run(
        url,
        "alter default privileges grant execute on functions to " + role,
        "alter default privileges grant select on tables to " + role,
        "alter default privileges grant select on tables to public",
        // as they would have been made by default privileges
        "grant all on all sequences in schema berth_private to public, " + role,
        "grant all on schema berth, berth_private to public, " + role,
        "update berth_private.schema_version set checksum = 'older' where number = 0");
    try (HikariDataSource pool = Servers.pool(url)) {
      new Schema(pool).migrate();
    }
    assertThat(rights(url, role)).isEmpty();
    assertThat(rights(url, "public")).isEmpty();
    Sql.run(url, "drop owned by " + role, "drop role " + role);
  }

  /** The rights that a role has by its grant are those of the list, and no others. */
  @ParameterizedTest
  @EnumSource
  void eachGrantGivesWhatTheListSays(Servers server) {
    String url = server.database();
    String runner = "runner_" + System.nanoTime();
    server.createRole(runner, "noinherit");
    for (var grant : WAYS_IN.entrySet()) {
      String what = grant.getKey();
      String role = what + "%s_" + System.nanoTime(); // a name is no pattern
      Sql.run(url, "create role \"%s\"".formatted(role));
      Sql.run(
          url,
          what.equals("launch")
              ? "select berth.allow_launch('%s', '%s')".formatted(role, runner)
              : "select berth.allow_%s('%s')".formatted(what, role));
      List<String> listed =
          Sql.query(
              url,
              "select case e.kind when 'view' then 'SELECT of ' || e.name else 'EXECUTE of ' ||"
                  + " (select p.oid::regprocedure from pg_proc p where p.proname = e.name and"
                  + " p.pronamespace = 'berth'::regnamespace) end from berth_private.entry_points()"
                  + " e where e.what ="
                  + " '%s' union all select 'EXECUTE of berth.applied_migrations()'".formatted(what)
                  + " union all select 'USAGE of berth' union all select 'SELECT of ' || v from"
                  + " unnest('%1$s'::text[]) as v union all select 'INSERT of ' || c.relname || '.' ||"
                      .formatted(grant.getValue())
                  + " a.attname from pg_class c join pg_attribute a on a.attrelid = c.oid where"
                  + " c.relname = any ('%s') and a.attnum > 0 and a.attname not in ('caller',"
                      .formatted(grant.getValue())
                  + " 'launcher')");
      assertThat(rights(url, role)).as(what).containsExactlyInAnyOrderElementsOf(listed);
      Sql.run(
          url,
          "select berth.forbid_%s('%s')".formatted(what, role),
          "drop role \"%s\"".formatted(role));
    }
    assertThat(rights(url, runner))
        .as("the runner")
        .containsExactlyInAnyOrder(
            "USAGE of berth", "EXECUTE of berth.finish_sql(uuid,bigint,jsonb)");
    Sql.run(url, "drop owned by " + runner, "drop role " + runner);
  }

  /** What was granted to a role, but for what it owns. */
  private static List<String> rights(String url, String role) {
    return Sql.query(
        url,
        "select a.privilege_type || ' of ' || o.name from (select p.oid::regprocedure::text as"
            + " name, p.proacl as acl, p.proowner as owner"
            + OURS
            + "union all select c.relname, c.relacl, c.relowner from pg_class c where"
            + " c.relnamespace in ('berth'::regnamespace, 'berth_private'::regnamespace) union all"
            + " select c.relname || '.' || a.attname, a.attacl, c.relowner from pg_class c join"
            + " pg_attribute a on a.attrelid = c.oid where c.relnamespace in"
            + " ('berth'::regnamespace, 'berth_private'::regnamespace) union all select n.nspname,"
            + " n.nspacl, n.nspowner from pg_namespace n where n.nspname in ('berth',"
            + " 'berth_private')) o cross join lateral aclexplode(o.acl) a left join pg_roles r on"
            + " r.oid = a.grantee where a.grantee <>"
            + " o.owner and coalesce(r.rolname, 'public') = '%s'".formatted(role));
  }

  @ParameterizedTest
  @EnumSource
  void everyEntryIsADefinerWithAFixedPath(Servers server) {
    String url = server.database();
    assertThat(
            Sql.query(
                url,
                "select p.proname"
                    + OURS
                    + "and n.nspname = 'berth' and not p.prosecdef order by 1"))
        .containsExactlyElementsOf(
            java.util.stream.Stream.concat(AS_THE_CALLER.stream(), GRANTS.stream())
                .sorted()
                .toList());
    assertThat(
            Sql.query(
                url,
                "select p.proname"
                    + OURS
                    + "and (n.nspname = 'berth' or p.prosecdef) and (proconfig is null or not "
                    + FIXED_PATH
                    + ") order by 1"))
        .as("without a fixed path: it reads that of its caller")
        .containsExactly("launch");
    assertThat(
            Sql.query(
                url,
                "select p.proname"
                    + OURS
                    + "and n.nspname = 'berth_private' and p.prosecdef order by 1"))
        .as("triggers, whose caller may be anybody")
        .containsExactly(
            "log_limit",
            "take_launch",
            "take_paces",
            "take_submit",
            "take_submit_batch",
            "take_submit_one");
  }

  /** Whoever waits for a lock gives up before its client does, and says why. */
  @ParameterizedTest
  @EnumSource
  void everyEntryThatWritesHasABoundForLocks(Servers server) {
    String url = server.database();
    String bound =
        "(select substr(c, 14) from unnest(proconfig) as c where c like 'lock_timeout=%')";
    assertThat(
            Sql.query(
                url,
                "select b.bound || ' ' || string_agg(b.name, ' ' order by b.name) from (select"
                    + " p.proname as name, "
                    + bound
                    + " as bound"
                    + OURS
                    + "and n.nspname = 'berth') b where b.bound <> '10s' group by b.bound"))
        .containsExactlyInAnyOrder(
            "1s make_partitions",
            "2s hold_slots release_hold",
            "50ms prune",
            "100ms advance_schedule",
            "200ms sweep",
            "500ms exchange fail_unreadable",
            "750ms heartbeat leave",
            "5s admit_sql finish_sql prepare_sql retry_sql");
    assertThat(
            Sql.query(
                url,
                "select p.proname"
                    + OURS
                    + "and n.nspname = 'berth' and p.provolatile = 'v' and "
                    + bound
                    + " is null and p.proname !~ '^(allow|forbid)_' order by 1"))
        .as("readers, and what runs in the transaction of a caller, who has a bound or none")
        .containsExactly(
            "applied_migrations", "launch", "run_ticket", "stand_by", "submit", "submit_step");
    assertThat(
            Sql.query(
                url,
                "select p.proname"
                    + OURS
                    + "and n.nspname = 'berth_private' and p.prosecdef and "
                    + bound
                    + " = '10s'"))
        .as("a view through which limits are written")
        .containsExactly("take_paces");
  }

  @ParameterizedTest
  @EnumSource
  void everythingHasOneOwner(Servers server) {
    assertThat(
            Sql.query(
                server.database(),
                "select distinct owner::regrole from (select p.proowner as owner"
                    + OURS
                    + "union all select c.relowner from pg_class c join pg_namespace n on n.oid ="
                    + " c.relnamespace where n.nspname in ('berth', 'berth_private')) o"))
        .containsExactly("postgres");
  }

  /** The interface has no door that is in no list. */
  @ParameterizedTest
  @EnumSource
  void whatIsNotGrantedIsForTheOwner(Servers server) {
    assertThat(
            Sql.query(
                server.database(),
                "select p.proname"
                    + OURS
                    + "and n.nspname = 'berth' and not exists (select from"
                    + " berth_private.entry_points() e where e.name = p.proname) order by 1"))
        .containsExactly(
            "allow_launch",
            "allow_read",
            "allow_submit",
            "allow_work",
            "applied_migrations", // with each grant
            "cancel",
            "cancel_workflow",
            "forbid_launch",
            "forbid_read",
            "forbid_submit",
            "forbid_work",
            "pause",
            "pause_limit",
            "pause_schedule",
            "put_some_under",
            "recount_limit",
            "release_slot",
            "remove_schedule",
            "reset_limit",
            "reset_topic",
            "resume",
            "resume_limit",
            "resume_schedule",
            "retry",
            "retry_workflow",
            "run_schedule",
            "set_limit",
            "set_schedule",
            "set_size_cap",
            "set_sql_timeout",
            "set_topic",
            "skip_step",
            "stand_by");
    assertThat(
            Sql.query(
                server.database(),
                "select e.name from berth_private.entry_points() e where not exists (select from"
                    + " pg_proc p where p.proname = e.name and p.pronamespace ="
                    + " 'berth'::regnamespace) and to_regclass('berth.' || e.name) is null"))
        .as("grants of what is not there")
        .isEmpty();
  }
}
