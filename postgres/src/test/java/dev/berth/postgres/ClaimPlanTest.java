package dev.berth.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntFunction;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * What the hot calls cost behind a great many tasks of types the worker does not know. Time depends
 * on the machine; the plans and the pages they touch do not. The plans are made while the table is
 * nearly empty, as on the first day of an installation or after a quiet night, and kept.
 */
@Isolated("what others change in the catalogs would count as pages of its own")
class ClaimPlanTest {

  private static final int FOREIGN = 100_000;
  private static final int BATCH = 50;

  /**
   * What one call did.
   *
   * @param rows its answer, column by column
   * @param pages touched in all
   */
  private record Explained(List<List<String>> rows, long pages) {}

  private int number;

  @ParameterizedTest
  @EnumSource
  void tasksOfOtherTypesCostNothing(Servers server) throws SQLException {
    String url = server.database();
    try (Connection connection = DriverManager.getConnection(url)) {
      Plans.explainEverything(connection);
      String session = open(connection);
      List<List<String>> held = List.of();
      for (String mode : List.of("scan", "plain", "hop")) {
        for (int i = 0; i < 6; i++) { // often enough for every plan to be kept
          submitOurs(url, 1);
          held = claims(run(connection, exchange(session, mode, held)));
          assertThat(held).hasSize(1);
          heartbeat(connection, session, held);
          analyze(url, i);
        }
      }
      submitOurs(url, 4 * BATCH);
      Explained first = batch(connection, session, "scan", held);
      Explained alone = cheapest(connection, session, "scan", claims(first));

      submitForeign(url);
      submitOurs(url, 7 * BATCH);
      Explained scan = cheapest(connection, session, "scan", claims(alone));
      Explained hop = cheapest(connection, session, "hop", claims(scan));
      heartbeat(connection, session, claims(hop));
      run(connection, "select * from berth.sweep()");

      assertThat(scan.pages()).isLessThan(2 * alone.pages());
      assertThat(hop.pages()).isLessThan(2 * alone.pages());
    }
  }

  @ParameterizedTest
  @EnumSource
  void stepsThatWaitForTheirTurnCostNothing(Servers server) throws SQLException {
    String url = server.database();
    try (Connection connection = DriverManager.getConnection(url)) {
      Plans.explainEverything(connection);
      String session = open(connection);
      List<List<String>> held = List.of();
      for (int i = 0; i < 6; i++) { // often enough for every plan to be kept
        submitSteps(url, "early", i);
        run(connection, "select * from berth.sweep()");
        held = claims(run(connection, exchange(session, "scan", held)));
        assertThat(held).hasSize(1);
        analyze(url, i);
      }
      Turn alone = turn(url, connection, session, "alone", held);
      holdSteps(url);
      Turn behind = turn(url, connection, session, "behind", alone.left());

      assertThat(behind.plain()).isLessThan(2 * alone.plain());
      assertThat(behind.steps()).isLessThan(2 * alone.steps());
    }
  }

  @ParameterizedTest
  @EnumSource
  void submitsCostNothingBesideManyKeysAndAttempts(Servers server) throws SQLException {
    String url = server.database();
    try (Connection connection = DriverManager.getConnection(url)) {
      Plans.explainEverything(connection);
      for (int i = 0; i < 6; i++) { // often enough for every plan to be kept
        run(connection, repeatedSubmit(1));
        run(connection, submitUnderQuotas(i, 1));
        analyze(url, i);
      }
      long plain = fewestPages(connection, round -> repeatedSubmit(BATCH));
      long counted = fewestPages(connection, round -> submitUnderQuotas(10 + round, BATCH));

      fillQuotasAndHistory(url);
      long plainBeside = fewestPages(connection, round -> repeatedSubmit(BATCH));
      long countedBeside = fewestPages(connection, round -> submitUnderQuotas(20 + round, BATCH));

      assertThat(plainBeside).isLessThan(2 * plain);
      assertThat(countedBeside).isLessThan(2 * counted);
    }
  }

  /**
   * Of three calls: if the server analyzes tables just now, one of them is planned anew, and reads
   * the catalogs of all partitions for it.
   */
  private static long fewestPages(Connection connection, IntFunction<String> call)
      throws SQLException {
    long fewest = Long.MAX_VALUE;
    for (int round = 0; round < 3; round++) {
      fewest = Math.min(fewest, run(connection, call.apply(round)).pages());
    }
    return fewest;
  }

  /** With ids of the caller's own, which may have been submitted before. */
  private static String repeatedSubmit(int count) {
    return submitBatch(count, ", null::text[], null::text[], null::text[]");
  }

  private static String submitUnderQuotas(int round, int count) {
    return submitBatch(
        count,
        """
        , array_agg(format('{type/ours/user/%d-%%s}', n)), array_agg('{9}'::text), array_agg('{refuse}'::text)
        """
            .formatted(round));
  }

  private static String submitBatch(int count, String quotas) {
    return """
    insert into berth.submitting_batch (
      ids, types, queues, priorities, due_ats, delays, payloads, metadata, lanes, limits, weights, said_slots, repeat, quotas,
      mosts, when_full)
    select array_agg(gen_random_uuid()), array_agg('ours'::text), array_agg('default'::text), array_agg(5::int2),
           array_agg(null::timestamptz), array_agg(0::bigint), array_agg('{}'::text), array_agg(null::text),
           array_agg(null::text), array_agg(null::text), array_agg(null::text), array_agg(null::text), true%s
      from generate_series(1, %d) as n
    returning existing, full_ids
    """
        .formatted(quotas, count);
  }

  private static void fillQuotasAndHistory(String url) {
    Sql.run(
        url,
        "insert into berth_private.quota_count select 'type/theirs/user/' || n, 1 from"
            + " generate_series(1, "
            + FOREIGN
            + ") n");
    Sql.run(
        url,
        """
        insert into berth_private.task_history (
          task_id, submitted_at, due_at, ended_at, keep_until, outcome, attempt, failures, crashes, priority, final, type, queue)
        select gen_random_uuid(), c.now, c.now, c.now, current_date, 'finished', 1, 0, 0, 5, true, 'ours', 'default'
          from generate_series(1, %d), berth_private.now() as c (now)
        """
            .formatted(FOREIGN));
  }

  /** Once, so that what is planned from then on knows how few tasks there are. */
  private static void analyze(String url, int round) {
    if (round == 0) {
      Sql.run(url, "vacuum analyze");
    }
  }

  private static void heartbeat(Connection connection, String session, List<List<String>> running)
      throws SQLException {
    String progress = array(running, "text", row -> "'half way'");
    run(
        connection,
        "select * from berth.heartbeat(%s, 1, 1, 0.5, %s, %s, %s)"
            .formatted(Sql.caller(session), ids(running), tokens(running), progress));
  }

  /**
   * Pages of two exchanges of one batch each.
   *
   * @param plain of tasks without order
   * @param steps that bring their workflows to the next one
   * @param left the tasks that are still running
   */
  private record Turn(long plain, long steps, List<List<String>> left) {}

  private Turn turn(
      String url, Connection connection, String session, String name, List<List<String>> held)
      throws SQLException {
    submitOurs(url, 2 * BATCH);
    Explained first = batch(connection, session, "scan", held);
    Explained plain = batch(connection, session, "scan", claims(first));
    for (int step = 1; step <= 3; step++) {
      for (int workflow = 1; workflow <= BATCH; workflow++) {
        submitSteps(url, name + "-" + workflow, step);
      }
    }
    run(connection, "select * from berth.sweep()");
    Explained heads = batch(connection, session, "scan", claims(plain));
    Explained steps = batch(connection, session, "scan", claims(heads));
    // taken as well, so that the next turn begins with an empty queue
    Explained last = batch(connection, session, "scan", claims(steps));
    return new Turn(plain.pages(), steps.pages(), claims(last));
  }

  /** Three batches, and the pages of the cheapest: see {@link #fewestPages}. */
  private Explained cheapest(
      Connection connection, String session, String mode, List<List<String>> ended)
      throws SQLException {
    Explained last = batch(connection, session, mode, ended);
    long fewest = last.pages();
    for (int round = 1; round < 3; round++) {
      last = batch(connection, session, mode, claims(last));
      fewest = Math.min(fewest, last.pages());
    }
    return new Explained(last.rows(), fewest);
  }

  private Explained batch(
      Connection connection, String session, String mode, List<List<String>> ended)
      throws SQLException {
    Explained exchange = run(connection, exchange(session, mode, ended));
    assertThat(claims(exchange)).hasSize(BATCH);
    return exchange;
  }

  private static void submitSteps(String url, String workflow, int step) {
    Sql.run(url, "select berth.submit_step('%s', '%d', 'ours')".formatted(workflow, step));
  }

  /** One workflow whose first step never ends, and many steps behind it. */
  private static void holdSteps(String url) {
    Sql.run(
        url,
        """
        insert into berth_private.task (
          id, position, due_at, submitted_at, started_at, session_id, token, state, type, queue, payload, workflow, step,
          step_number, on_failure)
        select ('00000000-0000-7000-9000-' || lpad(to_hex(n), 12, '0'))::uuid, c.now, c.now, c.now, c.now, 0, 0,
               case n when 1 then 'running' else 'held' end::berth_private.task_state, 'ours', 'default', '{}', 'long', n,
               nextval('berth_private.step_number'), 'halt'
          from generate_series(1, %d) as n, berth_private.now() as c (now)
        """
            .formatted(FOREIGN));
  }

  private String exchange(String session, String mode, List<List<String>> ended) {
    String ids = ids(ended);
    String tokens = tokens(ended);
    String outcomes = array(ended, "text", row -> "'finished'");
    String delays = array(ended, "bigint", row -> "0");
    String priority = mode.equals("scan") ? "null" : "5";
    return """
    select kind, id, token
      from berth.exchange(%s, %d, %s, %s, %s, %s, %s, '{default}', array[%s]::int2[],
                          array[null]::timestamptz[], '{%s}', '{null}', '{ours,others}', %d)
    """
        .formatted(
            Sql.caller(session),
            ++number,
            ids,
            tokens,
            outcomes,
            outcomes,
            delays,
            priority,
            mode,
            BATCH);
  }

  private static String ids(List<List<String>> claims) {
    return array(claims, "uuid", row -> "'" + row.get(1) + "'");
  }

  private static String tokens(List<List<String>> claims) {
    return array(claims, "bigint", row -> row.get(2));
  }

  private interface Element {
    String of(List<String> row);
  }

  private static String array(List<List<String>> rows, String type, Element element) {
    return "array["
        + String.join(",", rows.stream().map(element::of).toList())
        + "]::"
        + type
        + "[]";
  }

  private static List<List<String>> claims(Explained exchange) {
    return exchange.rows().stream().filter(row -> row.getFirst().equals("claim")).toList();
  }

  private String open(Connection connection) throws SQLException {
    return run(
            connection,
            "select session_id from berth.open_session(1, 'w', null, '1 hour', 100, '{ours}',"
                + " '{default}')")
        .rows()
        .getFirst()
        .getFirst();
  }

  /** Runs a call; none of its statements may read more than it needs. */
  private static Explained run(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(sql)) {
      List<List<String>> answer = new ArrayList<>();
      while (rows.next()) {
        List<String> row = new ArrayList<>();
        for (int i = 1; i <= rows.getMetaData().getColumnCount(); i++) {
          row.add(rows.getString(i));
        }
        answer.add(row);
      }
      return new Explained(answer, Plans.pages(statement));
    }
  }

  /** Tasks of other types, ahead of everything that is submitted later. */
  private static void submitForeign(String url) {
    Sql.run(
        url,
        """
        insert into berth_private.task (id, position, due_at, submitted_at, state, type, queue, payload)
        select ('00000000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, c.now, c.now, c.now, 'ready',
               'foreign_' || n %% 3, 'default', '{}'
          from generate_series(1, %d) as n, berth_private.now() as c (now)
        """
            .formatted(FOREIGN));
  }

  private static void submitOurs(String url, int count) {
    Sql.run(url, "select berth.submit('ours') from generate_series(1, " + count + ")");
  }
}
