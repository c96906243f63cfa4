package dev.berth.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.berth.limit.LimitKey;
import dev.berth.postgres.Topics.TopicView;
import dev.berth.store.Applied;
import dev.berth.view.AuditFilter;
import dev.berth.view.LimitAudit;
import dev.berth.worker.FileTopics;
import dev.berth.worker.FileTopics.Said;
import java.sql.Connection;
import java.sql.DriverManager;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

/** Topics: how many SQL tasks at once, how often again, how fast. */
class SqlTopicTest {

  private static final String PEAK =
      """
      select max(running) from (
        select sum(change) over (order by at, change) as running
          from (select began as at, 1 as change from alice.ran where topic = '%1$s'
                union all select ended, -1 from alice.ran where topic = '%1$s') e) p
      """;

  private final SqlTaskFixture fixture = new SqlTaskFixture(Servers.NEWEST);

  @AfterEach
  void close() {
    fixture.close();
  }

  @Test
  void fiftyStatementsOverTwoTopicsFromPsqlAlone() throws Exception {
    Assumptions.assumeTrue(Psql.installed(), "psql is not installed");
    psql(
        "postgres",
        """
        select berth.set_limit('type/berth.sql/launcher', 8);
        select berth.set_topic('reports', max_parallel => 2);
        select berth.set_topic('mails', max_parallel => 3);
        select berth.set_topic('flaky', retry_count => 3);
        """);
    psql(
        "alice",
        """
        create table alice.ran (topic text, began timestamptz, ended timestamptz);
        create sequence alice.tries;
        create function alice.work(topic text) returns void language plpgsql as $$
        declare
          began timestamptz := clock_timestamp();
        begin
          perform pg_advisory_xact_lock_shared(1);  -- the test decides when it may go on
          insert into alice.ran values (topic, began, clock_timestamp());
        end $$;
        create function alice.third_time_lucky() returns text language plpgsql as $$
        begin
          if nextval('alice.tries') < 3 then
            raise exception 'not yet';
          end if;
          return 'now';
        end $$;
        """);
    psql(
        "alice",
        """
        select berth.launch(format('select alice.work(%L)', t.name), topics => array[t.name])
          from generate_series(1, 50) as n
         cross join lateral (select case when n % 5 < 2 then 'reports' else 'mails' end) as t (name);
        """);
    String flaky = launched("select alice.third_time_lucky()", "flaky");
    String hopeless = launched("select 1 / 0", "reports");
    assertThat(psql("alice", "select state, count(*) from berth.sql_tasks group by 1"))
        .containsExactly("pending|52");

    try (Connection lock = DriverManager.getConnection(fixture.database.url())) {
      lock.createStatement().execute("select pg_advisory_lock(1)");
      fixture.work();
      await().until(() -> running("reports") == 2 && running("mails") == 3);
      fixture.awaitState(flaky, "retrying");
    }
    assertThat(fixture.see(flaky, "retry_count || ' ' || retry_delay")).isEqualTo("1 00:00:02");
    fixture.advance(Duration.ofSeconds(2));
    await()
        .until(() ->
            fixture.see(flaky, "retry_count").equals("2")
                && fixture.see(flaky, "state").equals("retrying"));
    assertThat(fixture.see(flaky, "retry_delay")).isEqualTo("00:00:04");
    fixture.advance(Duration.ofSeconds(4));
    fixture.awaitState(flaky, "finished");
    fixture.awaitState(hopeless, "failed");
    await()
        .until(() ->
            psql("alice", "select state, count(*) from berth.sql_tasks group by 1 order by 1")
                .equals(List.of("failed|1", "finished|51")));

    assertThat(fixture.see(flaky, "errors || ' ' || result"))
        .isEqualTo(
            "attempt 1: P0001: not yet\n"
                + "attempt 2: P0001: not yet [{\"third_time_lucky\": \"now\"}]");
    assertThat(fixture.see(hopeless, "errors")).isEqualTo("attempt 1: 22012: division by zero");
    assertThat(fixture.database.count(PEAK.formatted("reports"))).isEqualTo(2);
    assertThat(fixture.database.count(PEAK.formatted("mails"))).isEqualTo(3);
    assertThat(peak("reports")).isEqualTo(2);
    assertThat(peak("mails")).isEqualTo(3);
    assertThat(fixture.berth.reader().drift()).isEmpty();
  }

  @Test
  void aFullTopicHoldsUpNoOther() throws Exception {
    fixture.sql.topics().set("full", 1, null, null);
    fixture.work();
    try (Connection lock = DriverManager.getConnection(fixture.database.url())) {
      lock.createStatement().execute("select pg_advisory_lock(1)");
      String holder =
          fixture.launch("alice", "select pg_advisory_xact_lock(1)", ", topics => '{full}'");
      fixture.awaitState(holder, "running");
      String behind = fixture.launch("alice", "select 1", ", topics => '{full,other}'");
      String other = fixture.launch("bob", "select 1", ", topics => '{other}'");
      fixture.awaitState(other, "finished");
      assertThat(fixture.see(behind, "state")).isEqualTo("pending");

      lock.createStatement().execute("select pg_advisory_unlock(1)");
      fixture.awaitState(holder, "finished");
      fixture.awaitState(behind, "finished");
    }
  }

  @Test
  void ofSeveralTopicsTheStrictestCounts() throws Exception {
    fixture.sql.topics().set("patient", null, 5, null);
    fixture.sql.topics().set(null, null, 1, null);
    fixture.work();
    String patient = fixture.launch("alice", "select 1 / 0", ", topics => '{patient}'");
    String both = fixture.launch("alice", "select 1 / 0", ", topics => '{patient,unknown}'");
    String none = fixture.launch("alice", "select 1 / 0");
    for (String id : List.of(patient, both, none)) {
      fixture.awaitState(id, "retrying");
    }

    fixture.advance(Duration.ofSeconds(2));

    fixture.awaitState(both, "failed");
    fixture.awaitState(none, "failed");
    await().until(() -> fixture.see(patient, "retry_count || state").equals("2retrying"));
    assertThat(fixture.see(both, "retry_count")).isEqualTo("1");
  }

  @Test
  void aDelayLiesBetweenTwoStarts() throws Exception {
    fixture.sql.topics().set("slow", null, null, Duration.ofSeconds(10));
    fixture.launch("alice", "select 1", ", topics => '{slow}'");
    fixture.launch("alice", "select 2", ", topics => '{slow,quick}'");
    fixture.work();
    String finished = "select count(*) from berth.sql_tasks where state = 'finished'";
    await().until(() -> fixture.database.count(finished) == 1);
    assertThat(
            fixture.database.count("select count(*) from berth.sql_tasks where state = 'pending'"))
        .isEqualTo(1);

    fixture.advance(Duration.ofSeconds(10));

    await().until(() -> fixture.database.count(finished) == 2);
    assertThat(
            fixture.database.one(
                "select max(started_at) - min(started_at) >= interval '10 seconds' from"
                    + " berth.sql_tasks"))
        .isEqualTo("t");
  }

  @Test
  void handCountsBeforeFileBeforeDefaults() throws Exception {
    Topics topics = fixture.sql.topics();
    int workers = Integer.parseInt(fixture.database.one("show max_worker_processes"));
    String id = fixture.launch("alice", "select 1", ", topics => '{a/b,known}'");
    fixture.work(
        RoleConnections.runner(fixture.url("berth_runner")),
        SqlOptions.DEFAULT.topics(
            new FileTopics(Map.of("", new Said(4, null, null), "known", new Said(2, 3, 500)))),
        worker -> worker);
    fixture.awaitState(id, "finished");
    assertThat(List.of(slots("a/b"), slots("known"))).containsExactly(4, 2);

    topics.set("known", 7, null, null);
    topics.set(null, 9, 1, null);
    assertThat(slots("a/b")).isEqualTo(9);
    assertThat(slots("known")).isEqualTo(7);
    assertThat(topics.list())
        .containsExactly(
            new TopicView("", 9, 1, Duration.ZERO, true, 0, 0),
            new TopicView("a/b", 9, 1, Duration.ZERO, false, 0, 0),
            new TopicView("known", 7, 3, Duration.ofMillis(500), true, 0, 0));

    assertThat(topics.reset("known")).isEqualTo(Applied.DONE);
    assertThat(topics.reset("known")).isEqualTo(Applied.UNCHANGED);
    assertThat(topics.reset(null)).isEqualTo(Applied.DONE);
    assertThat(List.of(slots("known"), slots("a/b"))).containsExactly(2, 4);
    topics.register(FileTopics.NONE);
    assertThat(List.of(slots("known"), slots("a/b"))).containsExactly(workers, workers);
  }

  @Test
  void wrongSettingsAreRefused() {
    Topics topics = fixture.sql.topics();
    assertThatThrownBy(() -> topics.set(" ", 1, null, null))
        .hasMessageContaining("A topic needs a name");
    assertThatThrownBy(() -> topics.set("a", -1, null, null))
        .hasMessageContaining("cannot have -1 tasks in parallel");
    assertThatThrownBy(() -> topics.set("a", null, 5000, null))
        .hasMessageContaining("tried again 5000 times");
    assertThatThrownBy(() -> topics.set("a", null, null, Duration.ofDays(2)))
        .hasMessageContaining("use 0 to 1 day");
    assertThat(topics.list()).extracting(TopicView::name).containsExactly("");
  }

  private List<String> psql(String role, String statements) {
    return Psql.run(fixture.database.url(), role, statements);
  }

  private String launched(String statement, String topic) {
    return psql("alice", "select berth.launch('%s', topics => '{%s}')".formatted(statement, topic))
        .getFirst();
  }

  /** How many tasks of the topic the view shows as running, as their launcher sees it. */
  private long running(String topic) {
    return Long.parseLong(
        psql(
                "alice",
                "select count(*) from berth.sql_tasks where state = 'running' and '%s' = any (topics)"
                    .formatted(topic))
            .getFirst());
  }

  private int slots(String topic) {
    return fixture.berth.limits().find(LimitKey.ofTopic(topic)).orElseThrow().slots();
  }

  private int peak(String topic) {
    LimitAudit audit =
        fixture.berth.reader().audit(AuditFilter.ALL).stream()
            .filter(each -> each.key().equals(LimitKey.ofTopic(topic)))
            .findFirst()
            .orElseThrow();
    assertThat(audit.over()).isFalse();
    return audit.peak();
  }
}
