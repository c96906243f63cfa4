package dev.berth.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
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
        .as("without a fixed path: one sets that of the launch, the other reads it")
        .containsExactly("launch", "run_ticket");
    assertThat(
            Sql.query(
                url,
                "select p.proname"
                    + OURS
                    + "and n.nspname = 'berth_private' and p.prosecdef order by 1"))
        .as("triggers, whose caller may be anybody")
        .containsExactly(
            "log_limit", "take_launch", "take_submit", "take_submit_batch", "take_submit_one");
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
            "500ms exchange",
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
