package dev.berth.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.postgres.RawExchange.Answer;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What limits cost, in pages: nothing where they block, and nothing to work without limits. */
@Isolated("what others change in the catalogs would count as pages of its own")
class LimitCostTest {

  private static final int BATCH = 50;
  private static final int MANY = 5_000;

  /** Each database is new: dead rows of other tests would be read too. */
  private final String url = Servers.NEWEST.database();

  /** A pool and a type stand before the key in a lane: one hop passes all lanes behind them. */
  @ParameterizedTest
  @ValueSource(strings = {"limit/gpu", "type/ours"})
  void lanesBehindAFullLimitCostOneHop(String full) throws SQLException {
    try (RawExchange exchange = RawExchange.open(url)) {
      submitKeys(full, 1, 0, 3);
      submitLane("limit/zoo", 1, 1);
      assertThat(exchange.lanes(List.of(), null, BATCH).claims()).hasSize(2);
      warmUp(exchange);
      submitLane("limit/zoo-a", 1, 1);
      Answer few = exchange.lanes(List.of(), null, BATCH);

      submitKeys(full, 1, 3, MANY);
      submitLane("limit/zoo-b", 1, 1);
      Answer many = exchange.lanes(List.of(), null, BATCH);

      assertThat(few.claims()).hasSize(1);
      assertThat(many.claims()).hasSize(1);
      assertThat(many.pages()).isLessThan(2 * few.pages());
    }
  }

  @Test
  void limitedTasksCostTheClaimOfOthersNothing() throws SQLException {
    try (RawExchange exchange = RawExchange.open(url)) {
      warmUp(exchange);
      submitOpen(2);
      Answer before = exchange.plain(List.of(), null, 1);

      submitLane("limit/gpu", MANY, 100);
      submitKeys("limit/pool", 100, 0, 1_000);
      Answer after = exchange.plain(List.of(), null, 1);

      assertThat(before.claims()).hasSize(1);
      assertThat(after.claims()).hasSize(1);
      assertThat(after.pages()).isLessThan(2 * before.pages());
    }
  }

  /** While a transaction elsewhere holds vacuum back, claims leave dead entries that stay. */
  @Test
  void deadEntriesOfClaimsCostNothing() throws SQLException {
    try (RawExchange exchange = RawExchange.open(url)) {
      warmUp(exchange);
      insert("'{}'::text[]", "'{}'::integer[]", "'{}'::integer[]", 1, 25 * BATCH);
      try (Connection report = Sql.longTransaction(url)) {
        assertThat(report.isClosed()).isFalse();
        Answer first = exchange.plain(List.of(), null, 1);
        Answer answer = exchange.plain(List.of(), first.floor(), BATCH);
        for (int i = 0; i < 20; i++) {
          answer = exchange.plain(answer.claims(), answer.floor(), BATCH);
          assertThat(answer.claims()).hasSize(BATCH);
        }
        Answer last = exchange.plain(List.of(), answer.floor(), 1);

        assertThat(last.claims()).hasSize(1);
        assertThat(last.pages()).isLessThan(2 * first.pages());
      }
    }
  }

  /** A slot that passes on within its lane changes no slot row, so that none is dead. */
  @Test
  void slotsThatAreHandedOnLeaveNoDeadRows() throws SQLException {
    submitLane("limit/gpu", 1_500, 10);
    try (Connection report = Sql.longTransaction(url);
        RawExchange exchange = RawExchange.open(url)) {
      assertThat(report.isClosed()).isFalse();
      Answer answer = exchange.lanes(List.of(), null, 10);
      int changed = 0;
      for (int i = 0; i < 100; i++) {
        List<String> before = slotRows();
        answer = exchange.lanes(answer.claims(), answer.cursor(), 10);
        assertThat(answer.claims()).hasSize(10);
        changed += slotRows().equals(before) ? 0 : 1;
      }

      // only the first exchange of a quarter of a second gives back and takes
      assertThat(changed).isLessThan(50);
    }
  }

  /** After a quarter of a second it is asked whether anybody waits, or stands above. */
  @Test
  void slotsThatWereHeldForAWhileCostNoMoreBehindMany() throws SQLException {
    submitLane("limit/gpu", 20, 2);
    Sql.run(
        url, "vacuum analyze berth_private.task"); // plans are made for the few that there are now
    try (RawExchange exchange = RawExchange.open(url)) {
      Answer few = exchange.lanes(List.of(), null, 2);
      for (int i = 0; i < 7; i++) { // often enough for every plan to be kept
        few = handedOnLater(exchange, few);
      }
      submitLane("limit/gpu", 4 * MANY, 2);
      Answer many = handedOnLater(exchange, handedOnLater(exchange, few));

      assertThat(many.pages()).isLessThan(2 * few.pages());
    }
  }

  private Answer handedOnLater(RawExchange exchange, Answer held) throws SQLException {
    Sql.run(url, "update berth_private.clock set shift = shift + interval '300 milliseconds'");
    Answer answer = exchange.lanes(held.claims(), held.cursor(), 2);
    assertThat(answer.claims()).hasSize(2);
    return answer;
  }

  @Test
  void everyChangeOfASlotRowStaysOnItsPage() throws SQLException {
    submitLane("limit/gpu", 100, 10);
    try (RawExchange exchange = RawExchange.open(url)) {
      exchange.end(exchange.lanes(List.of(), null, 10).claims());
      exchange.begin();
      assertThat(exchange.lanes(List.of(), null, 10).claims()).hasSize(10);

      // both count what this connection did of late
      List<Long> updated =
          exchange.numbers(
              "select pg_stat_get_xact_tuples_updated('berth_private.slot_group'::regclass),"
                  + " pg_stat_get_xact_tuples_hot_updated('berth_private.slot_group'::regclass)");
      assertThat(updated.getFirst()).isGreaterThanOrEqualTo(10).isEqualTo(updated.getLast());
      exchange.commit();
    }
  }

  /** Where scans are switched off the planner takes every query for an expensive one. */
  @Test
  void functionsThatSwitchScansOffSwitchCompilingOff() {
    String scansOff =
        "select proname from pg_proc where pronamespace in ('berth'::regnamespace,"
            + " 'berth_private'::regnamespace) and 'enable_seqscan=off' = any (proconfig)";
    assertThat(Sql.query(url, scansOff)).contains("exchange", "submit_tasks", "heartbeat");
    assertThat(Sql.query(url, scansOff + " and 'jit=off' <> all (proconfig)")).isEmpty();
  }

  private static void warmUp(RawExchange exchange) throws SQLException {
    for (int i = 0; i < 6; i++) { // often enough for every plan to be kept
      exchange.lanes(List.of(), null, BATCH);
      exchange.plain(List.of(), null, BATCH);
    }
  }

  private List<String> slotRows() {
    return Sql.query(url, "select ctid from berth_private.slot_group order by number");
  }

  private void submitOpen(int count) {
    Sql.run(url, "select berth.submit('ours') from generate_series(1, " + count + ")");
  }

  private void submitLane(String key, int count, int slots) {
    insert("array['" + key + "']", "'{1}'", "array[" + slots + "]", 1, count);
  }

  /** One task for each of so many keys that all have this limit in common. */
  private void submitKeys(String shared, int slots, int from, int count) {
    insert(
        "array['" + shared + "', 'type/ours/user/' || n]",
        "'{1,1}'",
        "array[" + slots + ", 1]",
        from,
        count);
  }

  /** Before all that is submitted otherwise, and neighbours in line are none in the table. */
  private void insert(String keys, String weights, String slots, int from, int count) {
    Sql.run(
        url,
        """
        insert into berth_private.task (id, position, due_at, submitted_at, state, type, queue, payload,
                                lane, limits, weights, said_slots)
        select berth_private.new_id(), c.now - (1 + n * 7919 %% 10007) * interval '1 second', c.now, c.now,
               'ready', 'ours', 'default', '{}', l.lane, l.limits, l.weights, l.said_slots
          from generate_series(%d, %d) as n
         cross join berth_private.now() as c (now)
         cross join lateral berth_private.lane_of(%s, %s, %s) l
        """
            .formatted(from, from + count - 1, keys, weights, slots));
  }
}
