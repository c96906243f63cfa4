package dev.berth.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.postgres.RawExchange.Answer;
import dev.berth.postgres.RawExchange.Claimed;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

/** Looks at lanes go on from where the session has come to, past the dead entries of its claims. */
@Isolated("what others change in the catalogs would count as pages of its own")
class LaneFloorTest {

  private static final int BATCH = 50;
  private static final int DEAD = 8_000;

  private final String url = Servers.NEWEST.database();

  @Test
  void deadEntriesOfALaneCostNothingOnceItsFloorIsKnown() throws SQLException {
    submit("limit/gpu", BATCH, 0, DEAD + BATCH);
    try (Connection report = Sql.longTransaction(url);
        RawExchange exchange = RawExchange.open(url)) {
      assertThat(report.isClosed()).isFalse();
      Answer answer = exchange.look(List.of(), BATCH, "");
      assertThat(answer.seen()).isNull();
      List<Claimed> held = drain(exchange, answer.claims(), DEAD);
      exchange.end(held);

      Answer blind = exchange.look(List.of(), 1, "");
      exchange.end(blind.claims());
      assertThat(blind.claims()).hasSize(1);
      assertThat(blind.seen()).hasSize(2).first().isEqualTo("default\n5\nours\nlimit/gpu");
      long without = fewestPages(exchange, "");
      long with = fewestPages(exchange, floors(blind.seen()));
      assertThat(with).isLessThan(without / 2);
    }
  }

  /**
   * Of many looks: what other tests change in the server's catalog makes most of them read more.
   */
  private static long fewestPages(RawExchange exchange, String floors) throws SQLException {
    long fewest = Long.MAX_VALUE;
    for (int i = 0; i < 16; i++) {
      Answer look = exchange.look(List.of(), 1, floors);
      assertThat(look.claims()).hasSize(1);
      exchange.end(look.claims());
      fewest = Math.min(fewest, look.pages());
    }
    return fewest;
  }

  /** Lanes between those with floors, before them and behind them are found in their order. */
  @Test
  void floorsHideNothingButWhatIsBehindThem() throws SQLException {
    List<String> lanes = List.of("limit/a", "limit/b", "limit/c", "limit/d", "limit/e");
    lanes.forEach(lane -> submit(lane, 10, 0, 4));
    try (RawExchange exchange = RawExchange.open(url)) {
      List<String> known =
          List.of(line("limit/b"), micros("limit/b", 2), line("limit/d"), micros("limit/d", 3));
      Answer answer = exchange.look(List.of(), BATCH, floors(known));

      assertThat(numbers(answer))
          .containsExactlyInAnyOrder(
              "a0", "a1", "a2", "a3", "b2", "b3", "c0", "c1", "c2", "c3", "d3", "e0", "e1", "e2",
              "e3");
      assertThat(answer.seen()).contains(line("limit/b"), line("limit/d")).hasSize(4);
      assertThat(numbers(exchange.lanes(List.of(), null, BATCH)))
          .containsExactlyInAnyOrder("b0", "b1", "d0", "d1", "d2");
    }
  }

  /** More lanes than one statement reads. */
  @Test
  void anyNumberOfLanesIsFoundBetweenFloors() throws SQLException {
    for (int i = 10; i < 60; i++) {
      submit("limit/k" + i, 1, 0, 1);
    }
    try (RawExchange exchange = RawExchange.open(url)) {
      List<String> known = new ArrayList<>();
      for (String lane : List.of("limit/k00", "limit/k30", "limit/k31", "limit/k59", "limit/z")) {
        known.addAll(List.of(line(lane), "0"));
      }
      assertThat(exchange.look(List.of(), 100, floors(known)).claims()).hasSize(50);
    }
  }

  /** Types that the worker does not handle, before its own and behind them. */
  @Test
  void tasksOfOtherTypesAreNotInTheWay() throws SQLException {
    submit("limit/x", 10, 0, 40);
    Sql.run(
        url,
        "update berth_private.task set type = case when right(payload, 1) < '5' then 'alien' else"
            + " 'zoo' end");
    submit("limit/b", 10, 0, 2);
    try (RawExchange exchange = RawExchange.open(url)) {
      List<String> known = List.of(line("limit/b"), micros("limit/b", 1), line("limit/c"), "0");

      assertThat(numbers(exchange.look(List.of(), BATCH, floors(known)))).containsExactly("b1");
    }
  }

  /** Slots pass on from one task of a lane to those behind it; with a scan also to one before. */
  @Test
  void noTaskIsPassedOverForEver() throws SQLException {
    submit("limit/gpu", 1, 5, 3);
    try (RawExchange exchange = RawExchange.open(url)) {
      Answer answer = exchange.look(List.of(), 1, "");
      assertThat(numbers(answer)).containsExactly("gpu5");
      submit("limit/gpu", 1, 0, 1);

      answer = exchange.look(answer.claims(), 1, "");
      assertThat(numbers(answer)).containsExactly("gpu6");
      assertThat(numbers(exchange.lanes(answer.claims(), null, 1))).containsExactly("gpu0");
    }
  }

  /** Who sees four free slots and gets two of them has the next two tasks stand by, none later. */
  @Test
  void standbysAreTheNextTasksOfTheirLane() throws SQLException {
    submit("limit/gpu", 4, 0, 1);
    try (RawExchange exchange = RawExchange.open(url);
        Connection other = DriverManager.getConnection(url)) {
      exchange.end(exchange.look(List.of(), 1, "").claims());
      submit("limit/gpu", 4, 1, 20);
      other.setAutoCommit(false);
      try (Statement statement = other.createStatement()) {
        statement.execute("select from berth_private.slot_group where number <= 2 for update");
      }
      Answer answer = exchange.look(List.of(), 4, ", p_ahead => '{1}', p_most => 8");

      assertThat(numbers(answer)).containsExactlyInAnyOrder("gpu1", "gpu2", "gpu3", "gpu4");
    }
  }

  /** Hands in and claims until so many have ended; returns what is held then. */
  private static List<Claimed> drain(RawExchange exchange, List<Claimed> held, int tasks)
      throws SQLException {
    List<Claimed> now = held;
    for (int ended = 0; ended < tasks - BATCH; ended += BATCH) {
      now = exchange.freed(now, BATCH).claims();
      assertThat(now).hasSize(BATCH);
    }
    return now;
  }

  private static String floors(List<String> linesAndMicros) {
    List<String> lines = new ArrayList<>();
    List<String> micros = new ArrayList<>();
    for (int i = 0; i < linesAndMicros.size(); i += 2) {
      lines.add("E'" + linesAndMicros.get(i).replace("\n", "\\n") + "'");
      micros.add(linesAndMicros.get(i + 1));
    }
    return ", p_lines => array[%s], p_floors_at => array[%s]::bigint[], p_running => '{0}'"
        .formatted(String.join(",", lines), String.join(",", micros));
  }

  private static String line(String lane) {
    return "default\n5\nours\n" + lane;
  }

  private String micros(String lane, int number) {
    return Sql.query(
            url,
            "select (extract(epoch from position) * 1000000)::bigint from berth_private.task"
                + " where lane = '%s' and payload = '%s%d'"
                    .formatted(lane, lane.substring("limit/".length()), number))
        .getFirst();
  }

  /** The payloads of what was claimed: the lane and the number in it. */
  private List<String> numbers(Answer answer) {
    return answer.claims().stream()
        .map(claim ->
            Sql.query(
                    url,
                    "select payload from berth_private.task where id = '%s'".formatted(claim.id()))
                .getFirst())
        .toList();
  }

  /** Tasks of one lane, a second apart, from this number on. */
  private void submit(String key, int slots, int from, int count) {
    Sql.run(
        url,
        """
        insert into berth_private.task (id, position, due_at, submitted_at, state, type, queue, payload,
                                lane, limits, weights, said_slots)
        select berth_private.new_id(), timestamptz '2020-01-01 UTC' + n * interval '1 second', now(), now(),
               'ready', 'ours', 'default', split_part('%s', '/', 2) || n, l.lane, l.limits,
               l.weights, l.said_slots
          from generate_series(%d, %d) as n
         cross join lateral berth_private.lane_of(array['%s'], '{1}', array[%d]) l
        """
            .formatted(key, from, from + count - 1, key, slots));
  }
}
