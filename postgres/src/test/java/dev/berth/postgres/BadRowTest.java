package dev.berth.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.zaxxer.hikari.HikariDataSource;
import dev.berth.store.Claim;
import dev.berth.store.Swept;
import dev.berth.task.Outcome;
import dev.berth.task.TaskState;
import dev.berth.testkit.Claimer;
import dev.berth.view.TaskFilter;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** One bad row costs one task, never the queue. */
class BadRowTest {

  private static final String INSERT =
      """
      insert into berth_private.task (id, position, due_at, submitted_at, state, type, queue, payload, %s)
      values (gen_random_uuid(), now(), now(), now(), 'waiting', 't', 'default', '{}', %s)
      """;

  private static final String BAD = "'ba000000-0000-0000-0000-000000000000'";

  private String url = "";

  private final PostgresFixture fixture = PostgresFixture.on(Servers.NEWEST);

  @AfterEach
  void close() {
    fixture.close();
  }

  /** Random, for an index presses what repeats itself. */
  private static String han(int length) {
    return "(select string_agg(chr(19968 + (random() * 20000)::integer), '') from"
        + " generate_series(1, %d))".formatted(length);
  }

  @ParameterizedTest
  @EnumSource
  void aLaneThatNoIndexCanKeepIsRefused(Servers server) {
    url = server.database();
    String limits =
        "(select jsonb_object_agg('type/t/' || n || '/' || %s, 1) from generate_series(1, 2) n)"
            .formatted(han(480));
    String sentence = "has too long names: its queue, type and limits take";
    refused(
        "select berth.submit('t', due_at => now() + '1 s', limits => " + limits + ")", sentence);
    refused("select berth.submit_step('w', 's', 't', limits => " + limits + ")", sentence);
    refused(
        "select berth.set_schedule('s', 't', every => '1 s', limits => " + limits + ")", sentence);
    refused(
        """
        insert into berth.submitting_batch (ids, types, queues, priorities, due_ats, delays, payloads, metadata, lanes, limits, weights,
                                            said_slots, repeat)
        select array[gen_random_uuid()], '{t}', '{default}', '{5}', '{null}', '{1000}', '{null}', '{null}',
               array[k || ' ' || l], array[array[k, l]::text], '{"{1,1}"}', '{"{1,1}"}', false
          from (select 'limit/' || %1$s, 'limit/' || %1$s) as x (k, l)
        """
            .formatted(han(480)),
        sentence);
    refused(
        """
        insert into berth.submitting_one (id, type, queue, priority, payload, lane, limits, weights, said_slots)
        select gen_random_uuid(), 't', 'default', 5::int2, '{}', k || ' ' || l, array[k, l], '{1,1}', '{1,1}'
          from (select 'limit/' || %1$s, 'limit/' || %1$s) as x (k, l)
        """
            .formatted(han(480)),
        sentence);
    assertThat(Sql.query(url, "select promoted from berth.sweep()")).containsExactly("0");
  }

  @ParameterizedTest
  @EnumSource
  void theLongestNamesFitEverywhere(Servers server) {
    url = server.database();
    String name =
        "(select string_agg(chr(131072 + (random() * 40000)::integer), '') from generate_series(1,"
            + " 200))";
    Sql.run(
        url,
        "create table names as select "
            + name
            + " as queue, "
            + name
            + " as type, "
            + name
            + " as workflow",
        "select berth.submit(type, queue => queue, due_at => now() - interval '1 s',"
            + " limits => '[\"limit/x\"]'::jsonb || '[]') from names where false",
        "select berth.submit(type, queue => queue, due_at => now() + interval '1 s', limits =>"
            + " jsonb_build_object('limit/' || left(type, 40), 1)) from names",
        "select berth.submit_step(workflow, type, type, queue => queue, limits =>"
            + " jsonb_build_object('limit/' || left(type, 40), 1)) from names, generate_series(1,"
            + " 2)",
        "select berth.submit(type, queue => queue, quotas => jsonb_build_object('type/' || type,"
            + " 5)) from names",
        "select berth.pause(queue) from names",
        "select berth.set_schedule(type, type, every => '1 s', queue => left(queue, 10)) from"
            + " names",
        "select berth.set_topic(type, 3) from names",
        "select berth.set_limit('type/' || type, 5) from names",
        "update berth_private.clock set shift = '1 minute'");
    assertThat(Sql.query(url, "select faults from berth.sweep()")).containsExactly("{}");
    assertThat(Sql.query(url, "select count(*) from berth_private.task where state = 'ready'"))
        .containsExactly("3");
  }

  @Test
  void sqlHasTheBoundsOfTheQuotasOfOneTask() {
    url = fixture.database().url();
    String many = "(select jsonb_object_agg('limit/' || n, 9) from generate_series(1, 21) n)";
    String much =
        "(select jsonb_object_agg('limit/' || n || repeat('\u5b57', 430), 9) from"
            + " generate_series(1, 3) n)";
    for (String submit :
        List.of(
            "berth.submit('mail', quotas => %s)",
            "berth.submit_step('order', 'pack', 'mail', quotas => %s)",
            "berth.set_schedule('nightly', 'mail', cron => '0 3 * * *', zone => 'UTC', quotas =>"
                + " %s)")) {
      refused("select " + submit.formatted(many), "quotas; at most 20 are allowed");
      refused("select " + submit.formatted(much), "at most 2600 are allowed");
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "select berth.submit('t', due_at => 'infinity') | can be due until 9999-12-31",
        "select berth.submit_step('w', 's', 't', due_at => 'infinity') | can be due until"
            + " 9999-12-31",
        "select berth.set_limit('limit/a', 1, '400000 days') | must be longer than zero and at most"
            + " 365000 days",
        "select berth.set_limit('limit/a', 1, '-1 s') | must be longer than zero",
        "select berth.set_limit('limit/a', null) | cannot have null slots",
        "select berth.set_limit('a', 1) | is not the key of a limit",
        "select berth.pause_limit('limit/%') | is not the key of a limit",
        "select berth.pause(' ') | needs a name",
        "select berth.register_types('{t}', '{4000}', '{1}', '{1}') | use 0 to 3650",
        "select berth.register_types('{null}', '{1}', '{1}', '{1}') | needs a name",
        "select berth.register_limits('{type/t}', '{type/t}', '{1}', '{-1}', '{f}') | can be zero"
            + " to 1 day",
        "select berth.register_type_limits('{t}', '{t}', '{limit/a}', '{0}', '{1}') | use 1 to"
            + " 1000000",
        "select berth.register_topics('{a}', '{1}', '{1}', '{9223372036854775807}') | out of range",
        "insert into berth.naming_paces (keys, paces) values ('{limit/a}', '{86400000001}') | can"
            + " be zero to 1 day",
        "select berth.set_topic(repeat('/', 200), 1) | at most 500",
        "select berth.submit('t', limits => jsonb_build_object(concat('topic/', repeat('a', 201)),"
            + " 1)) | the name of a topic or a schedule has at most 200 characters",
        "select berth.set_limit(concat('schedule/', repeat('a', 201)), 1) | the name of a topic or"
            + " a schedule has at most 200 characters",
        "select berth.submit(repeat('*', 200), queue => repeat('q', 200), limits =>"
            + " jsonb_build_object(concat('limit/a', repeat('a', 480)), 1, concat('limit/b',"
            + " repeat('a', 480)), 1, concat('limit/c', repeat('a', 480)), 1, concat('limit/d',"
            + " repeat('a', 300)), 1)) | its queue, type and limits take 2777 bytes",
        "select berth.advance_schedule('a', 1, '{}', '{}', false, '10000-01-01 00:00:00Z', null) |"
            + " can be due until 9999-12-31",
        "select berth.register_type_quotas('{t}', '{null}', '{limit/a}', '{1}', '{refuse}') | needs"
            + " a name",
        "select berth.register_type_quotas('{t}', '{t}', '{a}', '{1}', '{refuse}') | is not the key"
            + " of a quota",
        "select berth.register_type_quotas('{t}', '{t}', '{limit/a}', '{-1}', '{refuse}') | use 0"
            + " (refuses all) to 1000000",
        "select berth.register_type_quotas('{t}', '{t}', '{limit/a}', '{1}', '{reject}') | not"
            + " \"reject\"",
        "select berth.open_session(%d, 'w', null, '-1 s', 1, '{t}', '{q}') | must be longer than"
            + " zero"
      })
  void sqlHasTheBoundsOfJava(String sql, String sentence) {
    url = fixture.database().url();
    refused(sql.replace("%d", String.valueOf(Migration.NEWEST)), sentence);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "'{{limit/a}}', '{{1}}', '{{reject}}', null, null, null | not \"reject\"",
        "'{{limit/a}}', '{{1}}', null, null, null, null | each needs both",
        "'{{limit/a}}', '{{-1}}', '{{refuse}}', null, null, null | use 0 (refuses all) to 1000000",
        "'{{schedule/a}}', '{{1}}', '{{refuse}}', null, null, null | it is that of a schedule",
        "null, null, null, '{w}', '{s}', '{stop}' | is halt, continue or cancel_rest, not stop",
        "null, null, null, '{w}', '{s}', '{skip}' | is halt, continue or cancel_rest, not skip",
        "null, null, null, '{w}', null, '{halt}' | A step needs a name"
      })
  void unknownWordsAreRefused(String more, String sentence) {
    url = fixture.database().url();
    refused(
        "insert into berth.submitting_batch (ids, types, queues, priorities, due_ats, delays,"
            + " payloads, repeat, quotas, mosts, when_full, workflows, steps, on_failure) select"
            + " array[gen_random_uuid()], '{t}', '{default}', '{5}', '{null}', '{0}', '{a}', false,"
            + " "
            + literals(more),
        sentence);
  }

  /** Two queues and no mode went round for ever. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "'{}' | '{a,b}' | '{}' | 10",
        "'{}' | '{a}' | '{null}' | 10",
        "'{}' | '{a}' | '{look}' | 10",
        "'{}' | '{}' | '{}' | -1",
        "'{done}' | '{}' | '{}' | 1"
      })
  void anExchangeRefusesUnknownWords(String outcomes, String queues, String modes, int size) {
    url = fixture.database().url();
    refused(
        "set statement_timeout = '5s'; select * from berth.exchange(%d, 1, null, 1, array_fill(gen_random_uuid(), array[cardinality(%s::text[])]), '{}', %2$s, '{}', '{}', %s, '{}', '{}', %s, '{}', '{t}', %d)"
            .formatted(Migration.NEWEST, outcomes, queues, modes, size),
        "An exchange needs a mode for each queue");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "'{t}', '{d}', '{0}', null, '{limit/a}', '{{limit/b}}', '{{1}}', '{{1}}' | is not that of"
            + " the limits",
        "'{t}', '{d}', '{0}', null, '{limit/a}', '{null}', '{null}', '{null}' | these go together",
        "'{t}', '{d}', '{0}', null, '{limit/a}', '{{limit/a}}', '{{2147483647}}', '{{1}}' | use 1"
            + " to 1000000",
        "'{t}', '{d}', '{0}', null, '{a}', '{{a}}', '{{1}}', '{{1}}' | is not the key of a limit",
        "'{t}', '{d}', '{0}', '{{a,null}}', null, null, null, null | without a null",
        "'{t}', '{d}', '{-1}', null, null, null, null, null | can be zero to 365000 days",
        "'{null}', '{d}', '{0}', null, null, null, null, null | A task type needs a name"
      })
  void aBatchIsLookedAtAsOneTaskIs(String part, String sentence) {
    url = fixture.database().url();
    String[] p = literals(part).split(", ");
    refused(
        "insert into berth.submitting_batch (ids, types, queues, priorities, due_ats, delays, payloads, metadata, lanes, limits, weights, said_slots, repeat) select array[gen_random_uuid()], %s, %s, '{5}', '{null}', %s, '{a}', %s, %s, %s, %s, %s, false"
            .formatted((Object[]) p),
        sentence);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "\"task_metadata\" | metadata | '[1,2]'",
        "needs a lane and as many weights | lane | 'limit/a'",
        "needs a lane and as many weights | limits | '{limit/a}'",
        "needs a lane and as many weights | lane, limits, weights, said_slots | 'limit/a',"
            + " '{limit/a}', '{1,1}', '{1}'",
        "\"task_weights\" | lane, limits, weights, said_slots | 'limit/a', '{limit/a}',"
            + " '{2147483647}', '{1}'",
        "\"task_weights\" | lane, limits, weights, said_slots | 'limit/a', '{limit/a}', '{null}',"
            + " '{1}'",
        "\"task_said_slots\" | lane, limits, weights, said_slots | 'limit/a', '{limit/a}', '{1}',"
            + " '{-1}'",
        "\"task_keys\" | lane, limits, weights, said_slots | 'a', '{a}', '{1}', '{1}'",
        "\"task_bytes\" | lane, limits, weights, said_slots | repeat('limit/', 500), '{limit/a}',"
            + " '{1}', '{1}'",
        "needs a number for each of its quotas | quotas, quota_mosts | '{limit/a}', '{}'",
        "needs the name of its workflow | workflow | 'w'",
        "\"task_key_list\" | quotas, quota_mosts | '{null}', '{1}'",
        "\"task_key_list\" | lane, limits, weights, said_slots | 'limit/a', '[5:5]={limit/a}',"
            + " '{1}', '{1}'",
        "\"task_weights\" | lane, limits, weights, said_slots | 'limit/a', '{limit/a}',"
            + " '[0:0]={1}', '{1}'",
        "\"task_said_slots\" | lane, limits, weights, said_slots | 'limit/a', '{limit/a}', '{1}',"
            + " '[0:0]={1}'",
        "\"task_keys\" | lane, limits, weights, said_slots | E'limit/a\\nb', '{limit/a}', '{1}',"
            + " '{1}'",
        "has names that no index can keep | lane, limits, weights, said_slots | 'limit/a',"
            + " array[repeat('limit/', 500)], '{1}', '{1}'",
        "has names that no index can keep | workflow, step, step_number, on_failure | 'w',"
            + " repeat('s', 801), 1, 'halt'",
        "contains a control character | workflow, step, step_number, on_failure | E'w\\nx', 's',"
            + " 1, 'halt'",
        "contains a control character | workflow, step, step_number, on_failure | 'w', E's\\u0085',"
            + " 1, 'halt'",
        "\"task_priority\" | priority | 10"
      })
  void badRowsAreKeptOut(String why, String columns, String values) {
    url = fixture.database().url();
    refused(INSERT.formatted(columns, values), why);
  }

  @ParameterizedTest
  @ValueSource(strings = {"due_at", "position", "submitted_at"})
  void timesThatAreNoneAreKeptOut(String column) {
    url = fixture.database().url();
    Sql.run(url, "select berth.submit('t')");
    refused("update berth_private.task set " + column + " = 'infinity'", "\"task_times\"");
    refused("update berth_private.task set " + column + " = '-infinity'", "\"task_times\"");
    refused(
        "update berth_private.task set " + column + " = '294276-12-31 00:00:00Z'",
        "\"task_times\"");
  }

  @Test
  void namesThatNoIndexCanKeepAreKeptOut() {
    url = fixture.database().url();
    Sql.run(url, "select berth.submit('t')");
    String sentence = "has names that no index can keep";
    refused("update berth_private.task set queue = repeat('q', 801)", sentence);
    refused("update berth_private.task set type = repeat('t', 801)", sentence);
    refused("update berth_private.task set type = E't\\nu'", "contains a control character");
    refused("update berth_private.task set queue = E'q\\nr'", "contains a control character");
    refused(
        "insert into berth_private.workflow_notice values (now(), repeat('w', 201))",
        "\"workflow_notice_name\"");
  }

  /** One more would be no number any longer. */
  @Test
  void aTaskThatHasRunAsOftenAsCanBeCountedRunsLikeAnyOther() {
    fixture
        .database()
        .run(
            INSERT.formatted("attempt, failures, crashes", "2147483647, 2147483647, 2147483647"),
            "update berth_private.task set state = 'ready'",
            "select berth.submit('t')");
    Claimer claimer = Claimer.open(fixture.store(), "worker", "t");
    for (Outcome outcome :
        List.of(new Outcome.Retrying("again", Duration.ZERO), new Outcome.Failed("it failed"))) {
      List<Claim> claims = claimer.claim(10);
      assertThat(claims).hasSize(2);
      assertThat(claimer.endAll(claims, outcome).stale()).isEmpty();
    }
    assertThat(fixture.database().query("select state from berth.tasks"))
        .containsExactly("FAILED", "FAILED");
  }

  @Test
  void whatWasGivenBackOfAQuotaMayBeMoreThanANumberHolds() {
    fixture
        .database()
        .run(
            "insert into berth_private.quota_count values ('limit/a', 2), ('limit/b', 2)",
            "insert into berth_private.quota_return select 'limit/a', 2147483647 from"
                + " generate_series(1, 3)");
    assertThat(fixture.store().reader().quotas()).hasSize(1);
    assertThat(fixture.database().query("select unnest(faults) from berth.sweep()")).isEmpty();
    assertThat(fixture.database().query("select key from berth_private.quota_count"))
        .containsExactly("limit/b");
  }

  /** What is pressed in the table is not in the memory of a worker. */
  @Test
  void aClaimCountsTheMetadataAsItIsSent() {
    fixture
        .database()
        .run(
            "select berth.submit('t', metadata => jsonb_build_object('a', repeat('x', 600000)))"
                + " from generate_series(1, 10)");
    Claimer claimer = Claimer.open(fixture.store(), "worker", "t");
    assertThat(claimer.claimWithin(10, 1_000_000)).hasSize(2);
  }

  @Test
  void rowsOfSessionsAndOfHistoryThatAreNoneHoldUpNobody() {
    fixture
        .database()
        .run(
            "insert into berth_private.session (opened_at, expires_at, lease, free, max, memory,"
                + " worker, types, queues) values ('-infinity', '9999-01-01', '1 us', -1, -5,"
                + " 'NaN', '', '{}', '[3:3]={a}')",
            "insert into berth_private.task_history (task_id, submitted_at, due_at, ended_at,"
                + " keep_until, outcome, attempt, failures, crashes, priority, final, type, queue,"
                + " metadata) values (gen_random_uuid(), 'infinity', '-infinity', 'infinity',"
                + " '2030-01-01', 'finished', -1, -1, -1, 77, true, '', '', '[1,2]')",
            "select berth.submit('t')");
    var reader = fixture.store().reader();
    assertThat(reader.list(TaskFilter.ALL)).hasSize(2);
    Claimer claimer = Claimer.open(fixture.store(), "worker", "t");
    fixture
        .database()
        .run(
            "update berth_private.task set cancel_requested = true, state = 'running', session_id ="
                + " (select max(id) from berth_private.session)");
    assertThat(claimer.heartbeat().alive()).isTrue();
    assertThat(reader.sessions()).hasSize(2);
  }

  /** Its name is longer than a topic may have. */
  @Test
  void aKeyThatIsNoTopicStopsNobody() {
    url = Servers.NEWEST.database();
    Sql.run(
        url,
        "alter table berth_private.task disable trigger check_row",
        INSERT.formatted(
            "lane, limits, weights, said_slots",
            "'topic/' || repeat('a', 300), array['topic/' || repeat('a', 300)], '{1}', '{1}'"),
        INSERT
            .formatted("lane, limits, weights, said_slots", "'topic/', '{topic/}', '{1}', '{1}'")
            .replace("topic/'", "topic/  '"),
        "update berth_private.task set state = 'ready'",
        "select berth.submit('t', limits => '{\"limit/a\": 1}')",
        "select berth.submit('t')");
    try (HikariDataSource pool = Servers.patientPool(url);
        PostgresStore store = PostgresStore.of(pool)) {
      Claimer claimer = Claimer.open(store, "worker", "t");
      assertThat(claimer.claim(10)).hasSize(2);
      assertThat(claimer.claim(10)).isEmpty();
      assertThat(store.reader().unreadable())
          .anyMatch(line -> line.contains("of a topic or a schedule has at most 200 characters"));
    }
  }

  /** As a restore writes them, with triggers off. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "lane | 'limit/a' | FAILED no worker can read the task: it has limits without a lane",
        "lane, limits | 'limit/a', '{limit/a}' | FAILED no worker can read the task: A task cannot"
            + " take null slots",
        "lane, limits, weights, said_slots | 'limit/a limit/b', '{limit/a,limit/b}', '{1}', '{1}' |"
            + " FAILED no worker can read the task: A task cannot take null slots",
        "lane, limits, weights, said_slots | 'limit/a', '{topic/}', '{1}', '{1}' | PENDING",
        "lane, limits, weights, said_slots | 'none', '{none}', '{1}', '{1}' | RUNNING",
        "lane, limits, weights, said_slots | E'limit/a\\nb', E'{limit/a\\nb}', '{1}', '{1}' |"
            + " RUNNING",
        "lane, limits, weights, said_slots | 'limit/a', '{null}', '{1}', '{1}' | FAILED no worker"
            + " can read the task: ",
        "lane, limits, weights, said_slots | 'limit/a', '{limit/a}', '{1}', '{-1}' | FAILED no"
            + " worker can read the task: The limit limit/a cannot have -1 slots",
        "lane, limits, weights, said_slots | 'limit/a', '{limit/a}', '{2147483647}', '{2147483647}'"
            + " | FAILED no worker can read the task: A task cannot take 2147483647 slots",
        "metadata | '[1,2]' | FAILED no worker can read the task: its metadata is no object"
      })
  void aRowThatNoClaimCanReadFailsAloneAndTheOthersRun(String columns, String values, String end) {
    url = Servers.NEWEST.database();
    Sql.run(
        url,
        "alter table berth_private.task disable trigger check_row",
        "alter domain berth_private.text_pairs drop constraint task_metadata",
        "alter domain berth_private.lane_name drop constraint task_keys",
        "alter domain berth_private.key_list drop constraint task_key_list",
        "alter domain berth_private.weight_list drop constraint task_weights",
        "alter domain berth_private.slots_list drop constraint task_said_slots",
        INSERT.formatted(columns, values).replace("gen_random_uuid()", BAD),
        "update berth_private.task set state = 'ready'",
        "select berth.submit('t', limits => '{\"limit/b\": 10}') from generate_series(1, 3)",
        "select berth.submit('t') from generate_series(1, 3)");
    List<Claim> claims = new ArrayList<>();
    try (HikariDataSource pool = Servers.patientPool(url);
        PostgresStore store = PostgresStore.of(pool)) {
      Claimer claimer = Claimer.open(store, "worker", "t");
      for (int i = 0; i < 3; i++) {
        claims.addAll(claimer.claim(10));
      }
    }
    assertThat(claims).hasSize(end.equals("RUNNING") ? 7 : 6);
    assertThat(
            Sql.query(
                url, "select concat_ws(' ', state, error) from berth.tasks where id = " + BAD))
        .singleElement()
        .asString()
        .startsWith(end);
  }

  @Test
  void textsAreCutWhereTheyAreWritten() {
    var database = fixture.database();
    database.run(
        "select berth.submit('t'), berth.submit('u')",
        "select berth.cancel(id, repeat('x', 100000)) from berth_private.task where type = 't'",
        "select berth.open_session(%d, 'w', repeat('h', 100000), '1 h', 1, '{u}', '{default}')"
            .formatted(Migration.NEWEST),
        "update berth_private.task set state = 'running', session_id = s.id, token = 7 from"
            + " berth_private.session s",
        "select from berth_private.session s, berth_private.task t, lateral berth.heartbeat(%d, s.id, s.proof, 1, 1, 0, array[t.id], '{7}', array[repeat('p', 100000)])"
            .formatted(Migration.NEWEST));
    assertThat(database.query("select length(progress) from berth_private.task"))
        .containsExactly("16000");
    database.run(
        "select from berth_private.session s, berth_private.task t, lateral berth.exchange(%d, s.id, s.proof, 1, array[t.id], '{7}', '{failed}', array[repeat('e', 100000)], '{0}', '{}', '{}', '{}', '{}', '{}', '{}', 0)"
            .formatted(Migration.NEWEST));
    assertThat(database.query("select length(error) from berth_private.task_history"))
        .containsExactly("16000", "16000");
    assertThat(database.query("select length(host) from berth_private.session"))
        .containsExactly("255");
  }

  @Test
  void theQuotaOfATypeThatNoWorkerRegistersIsForgotten() {
    var database = fixture.database();
    database.run(
        "select berth.register_type_quotas('{t}', '{t}', '{limit/a}', '{1}', '{refuse}')",
        "select berth.prune()");
    for (int days = 1; days <= 6; days++) {
      database.run(
          "update berth_private.clock set shift = '%d days'".formatted(days),
          "select berth.prune()");
    }
    database.run("select berth.register_type_quotas('{t}', '{t}', '{limit/a}', '{1}', '{refuse}')");
    for (int days = 7; days <= 13; days++) {
      database.run(
          "update berth_private.clock set shift = '%d days'".formatted(days),
          "select berth.prune()");
    }
    assertThat(database.query("select key from berth_private.type_quota")).hasSize(1);
    database.run("update berth_private.clock set shift = '20 days'", "select berth.prune()");
    assertThat(database.query("select key from berth_private.type_quota")).isEmpty();
  }

  /** Somebody has dropped the constraints, or the row came in some other way. */
  @Test
  void aRowThatCannotBeMovedFailsAloneAndAllElseGoesOn() {
    url = Servers.NEWEST.database();
    Sql.run(
        url,
        "alter domain berth_private.lane_name drop constraint task_bytes",
        "alter table berth_private.task disable trigger check_row",
        "select berth.submit('good', due_at => now() + interval '1 s') from generate_series(1, 3)",
        """
        insert into berth_private.task (id, position, due_at, submitted_at, state, type, queue, payload, lane, limits, weights,
                                        said_slots)
        select gen_random_uuid(), now(), now(), now(), 'waiting', 'bad', 'default', '{}', 'limit/' || %s, '{limit/a}', '{1}', '{1}'
        """
            .formatted(han(1500)),
        "select berth.open_session(%d, 'w', null, '1 s', 1, '{t}', '{q}')"
            .formatted(Migration.NEWEST),
        "update berth_private.clock set shift = '1 minute'");
    assertThat(Sql.query(url, "select kind || fault from berth.unreadable()"))
        .singleElement()
        .asString()
        .startsWith("task");

    assertThat(Sql.query(url, "select expired || ' ' || faults::text from berth.sweep()"))
        .containsExactly("1 {}");
    assertThat(Sql.query(url, "select type || ' ' || state from berth_private.task"))
        .hasSize(3)
        .containsOnly("good ready");
    assertThat(Sql.query(url, "select state || ' ' || error from berth.tasks where type = 'bad'"))
        .singleElement()
        .asString()
        .startsWith("FAILED the task was due and could not be made ready: index row size");
    assertThat(Sql.query(url, "select fault from berth.unreadable()")).isEmpty();
  }

  /** A step before it must not pay for it, nor the session that ran it. */
  @Test
  void aTaskThatCannotBeTakenBackFailsAndItsSessionEnds() {
    url = Servers.NEWEST.database();
    Sql.run(
        url,
        "alter domain berth_private.lane_name drop constraint task_bytes",
        "alter table berth_private.task disable trigger check_row",
        "select berth.open_session(%d, 'w', null, '1 s', 1, '{t}', '{q}')"
            .formatted(Migration.NEWEST),
        """
        insert into berth_private.task (id, position, due_at, submitted_at, started_at, state, type, queue, payload, lane, limits,
                                        weights, said_slots, session_id, token, attempt)
        select gen_random_uuid(), now(), now(), now(), now(), 'running', x.type, 'default', '{}', x.lane, '{limit/a}', '{1}', '{1}',
               s.id, x.token, 1
          from berth_private.session s, (values ('bad', 'limit/' || %s, 1), ('good', 'limit/a', 2)) as x (type, lane, token)
        """
            .formatted(han(1500)),
        "update berth_private.clock set shift = '1 minute'");
    assertThat(
            Sql.query(
                url, "select expired || ' ' || returned || ' ' || faults::text from berth.sweep()"))
        .containsExactly("1 1 {}");
    assertThat(Sql.query(url, "select type || ' ' || state from berth_private.task"))
        .containsExactly("good ready");
    assertThat(Sql.query(url, "select state || ' ' || error from berth.tasks where type = 'bad'"))
        .singleElement()
        .asString()
        .startsWith(
            "FAILED its worker was lost, and the task could not be taken back: index row size");
  }

  @Test
  void aWorkflowThatCannotGoOnHoldsUpNoOther() {
    url = Servers.NEWEST.database();
    Sql.run(
        url,
        "alter domain berth_private.lane_name drop constraint task_bytes",
        "alter table berth_private.task disable trigger check_row",
        """
        insert into berth_private.task (id, position, due_at, submitted_at, state, type, queue, payload, lane, limits, weights,
                                        said_slots, workflow, step, step_number, on_failure)
        select gen_random_uuid(), now(), now(), now(), 'held', 't', 'default', '{}', x.lane, '{limit/a}', '{1}', '{1}', x.name,
               's', 1, 'halt'
          from (values ('bad', 'limit/' || %s), ('good', 'limit/a'), ('other', 'limit/a')) as x (name, lane)
        """
            .formatted(han(1500)),
        "insert into berth_private.workflow_notice values (now() - interval '1 s', 'good'), (now()"
            + " - interval '1 s', 'bad'), (now() - interval '1 s', 'other')");
    for (int i = 0; i < 2; i++) {
      assertThat(Sql.query(url, "select unnest(faults) from berth.sweep()"))
          .singleElement()
          .asString()
          .startsWith("workflow bad could not go on: index row size");
    }
    assertThat(Sql.query(url, "select workflow from berth_private.task where state = 'ready'"))
        .containsExactlyInAnyOrder("good", "other");
    Sql.run(url, "update berth_private.task set lane = 'limit/a' where workflow = 'bad'");
    assertThat(Sql.query(url, "select unnest(faults) from berth.sweep()")).isEmpty();
    assertThat(Sql.query(url, "select count(*) from berth_private.task where state = 'ready'"))
        .containsExactly("3");
  }

  @Test
  void aWrongCounterKeepsNoSessionAlive() {
    var database = fixture.database();
    database.run("select berth.submit('t', limits => '{\"limit/a\": 5}')");
    assertThat(Claimer.open(fixture.store(), "worker", "t").claim(10)).hasSize(1);
    database.run(
        "update berth_private.slot_group set used = 0",
        "update berth_private.clock set shift = '2 hours'");
    assertThat(fixture.store().reader().unreadable())
        .singleElement()
        .asString()
        .startsWith("session ")
        .contains("it has expired");
    assertThat(
            database.query("select expired || ' ' || returned || faults::text from berth.sweep()"))
        .containsExactly("1 1{}");
    assertThat(database.query("select state from berth_private.task")).containsExactly("ready");
    assertThat(fixture.store().reader().unreadable()).isEmpty();
  }

  /** One task in a session of two: the other one comes back. */
  @Test
  void aTaskThatCannotEvenFailHoldsUpNoOther() {
    url = Servers.NEWEST.database();
    Sql.run(url, "select berth.submit('t'), berth.submit('u')");
    try (HikariDataSource pool = Servers.patientPool(url);
        PostgresStore store = PostgresStore.of(pool)) {
      Claimer.open(store, "worker", "t", "u").claim(10);
    }
    Sql.run(
        url,
        "create function berth_private.stuck() returns trigger language plpgsql as $$ begin raise"
            + " 'stuck'; end $$",
        "create trigger stuck before update or delete on berth_private.task for each row when"
            + " (old.type = 'u') execute function berth_private.stuck()",
        "update berth_private.clock set shift = '2 hours'");
    assertThat(Sql.query(url, "select unnest(faults) from berth.sweep()"))
        .singleElement()
        .asString()
        .contains("could not be ended: stuck");
    assertThat(Sql.query(url, "select type || state from berth_private.task order by type"))
        .containsExactly("tready", "urunning");
  }

  /** It would hold up every claim of its queue; what is wrong with it is in its error. */
  @Test
  void aTaskThatNoClaimCanReadAndThatCannotEvenFailHoldsUpNoOther() {
    url = Servers.NEWEST.database();
    Sql.run(
        url,
        "alter domain berth_private.text_pairs drop constraint task_metadata",
        INSERT.formatted("metadata", "'[1,2]'").replace("gen_random_uuid()", BAD),
        INSERT.formatted("metadata", "'[1,2]'"),
        "update berth_private.task set state = 'ready'",
        "select berth.submit('t') from generate_series(1, 3)",
        "create function berth_private.stuck() returns trigger language plpgsql as $$ begin raise"
            + " 'stuck'; end $$",
        "create trigger stuck before delete on berth_private.task for each row when (old.id = %s) execute function berth_private.stuck()"
            .formatted(BAD));
    try (HikariDataSource pool = Servers.patientPool(url);
        PostgresStore store = PostgresStore.of(pool)) {
      Claimer claimer = Claimer.open(store, "worker", "t");
      assertThat(claimer.claim(10)).hasSize(3);
    }
    assertThat(
            Sql.query(
                url, "select state || ' ' || last_error from berth_private.task where id = " + BAD))
        .containsExactly(
            "waiting no worker can read the task (its metadata is no object of texts), and it"
                + " could not fail: stuck");
  }

  /** Their sum is no number any more. */
  @Test
  void countsThatCannotBeAddedAreShown() {
    fixture
        .database()
        .run(
            INSERT.formatted("failures, crashes", "2147483647, 2147483647"),
            INSERT.formatted(
                "failures, crashes, workflow, step, step_number, on_failure",
                "2147483647, 1, 'w', 's', 1, 'halt'"),
            "insert into berth_private.workflow (name) values ('w')");
    var reader = fixture.store().reader();
    assertThat(reader.list(TaskFilter.ALL))
        .hasSize(2)
        .allMatch(task -> task.state() == TaskState.RETRYING);
    assertThat(reader.workflow("w").orElseThrow().steps()).hasSize(1);
    assertThat(reader.workflows(10)).hasSize(1);
  }

  /** What the views cannot show they leave out, and the doctor names it. */
  @Test
  void rowsThatCannotBeReadAreLeftOutAndListed() {
    fixture
        .database()
        .run(
            "insert into berth_private.task_limit (key, override_slots, slots) values ('none', 1,"
                + " 1), ('limit/a', 1, 1)",
            "insert into berth_private.quota_count values ('none', 1), ('limit/a', 1)",
            "alter table berth_private.task disable trigger check_row",
            INSERT.formatted(
                "lane, limits, weights, said_slots", "'limit/a', '{none}', '{1}', '{1}'"),
            "alter table berth_private.task enable trigger check_row");
    var reader = fixture.store().reader();
    assertThat(reader.limits()).hasSize(1);
    assertThat(reader.quotas()).hasSize(1);
    assertThat(reader.drift()).allMatch(drift -> drift.key().value().equals("limit/a"));
    assertThat(reader.list(TaskFilter.ALL)).hasSize(1);
    assertThat(reader.unreadable())
        .hasSize(3)
        .anyMatch(line -> line.startsWith("limit none: this is not the key of a limit"))
        .anyMatch(line -> line.startsWith("quota none: this is not the key of a quota"))
        .anyMatch(line -> line.contains("\"none\" is not the key of a limit: expected limit/NAME"));
    Swept swept = fixture.store().sweep();
    assertThat(swept.promoted()).isEqualTo(1);
  }

  /** An array of array literals. */
  private static String literals(String arrays) {
    return arrays.replace("{{", "{\"{").replace("}}", "}\"}");
  }

  private void refused(String sql, String sentence) {
    assertThatExceptionOfType(SQLException.class)
        .isThrownBy(() -> {
          try (Connection connection = DriverManager.getConnection(url);
              Statement statement = connection.createStatement()) {
            statement.execute(sql);
          }
        })
        .withMessageContaining(sentence);
  }
}
