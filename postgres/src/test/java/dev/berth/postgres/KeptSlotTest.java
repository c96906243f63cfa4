package dev.berth.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.limit.Limit;
import dev.berth.limit.LimitKey;
import dev.berth.postgres.RawExchange.Claimed;
import dev.berth.store.Command;
import dev.berth.task.TaskId;
import dev.berth.testkit.Draft;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * A slot that changes hands idles meanwhile. So it stays with the session that has it, for as long
 * as nobody else could use it or has less than this one.
 */
class KeptSlotTest {

  private static final int TURNS = 20;

  private final PostgresFixture fixture = PostgresFixture.on(Servers.NEWEST);
  private final LimitKey limit = LimitKey.ofType(RawExchange.TYPE);

  @AfterEach
  void close() {
    fixture.close();
  }

  @Test
  void slotsThatNobodyElseCouldUseStay() throws SQLException {
    submit(100, limited());
    try (RawExchange only = RawExchange.open(fixture.database().url())) {
      List<Claimed> running = only.lanes(List.of(), null, 4).claims();
      List<Long> since = heldSince();

      for (int i = 0; i < TURNS; i++) {
        running = turn(only, running);
      }

      assertThat(running).hasSize(4);
      assertThat(heldSince()).isEqualTo(since);
    }
  }

  @Test
  void slotsThatAnotherLaneCouldUseDoNot() throws SQLException {
    submit(100, limited());
    submit(100, limited().under(Limit.of("pool", 50)));
    try (RawExchange only = RawExchange.open(fixture.database().url())) {
      List<Claimed> running = only.lanes(List.of(), null, 4).claims();
      long youngest = Collections.max(heldSince());

      for (int i = 0; i < TURNS; i++) {
        running = turn(only, running);
      }

      assertThat(running).hasSize(4);
      assertThat(heldSince()).allMatch(since -> since > youngest, "taken anew");
    }
  }

  @Test
  void sessionsThatHaveTheirPartsKeepThem() throws SQLException {
    submit(200, limited());
    try (RawExchange first = RawExchange.open(fixture.database().url());
        RawExchange second = RawExchange.open(fixture.database().url())) {
      List<Claimed> ofFirst = first.lanes(List.of(), null, 4).claims();
      List<Claimed> ofSecond = second.lanes(List.of(), null, 4).claims();
      for (int i = 0; i < TURNS; i++) {
        ofFirst = turn(first, ofFirst);
        ofSecond = turn(second, ofSecond);
      }
      assertThat(ofFirst).hasSize(2);
      assertThat(ofSecond).hasSize(2);
      List<Long> since = heldSince();

      for (int i = 0; i < TURNS; i++) {
        ofFirst = turn(first, ofFirst);
        ofSecond = turn(second, ofSecond);
      }

      assertThat(heldSince()).isEqualTo(since);
    }
  }

  /** A claim may take slots while the limit is being lowered: then they are younger than that. */
  @Test
  void slotsBeyondALoweredLimitGoBackHoweverYoungTheyAre() throws SQLException {
    submit(100, limited());
    try (RawExchange only = RawExchange.open(fixture.database().url())) {
      List<Claimed> running = only.lanes(List.of(), null, 4).claims();
      fixture.store().apply(new Command.SetLimit(limit, 2));
      fixture
          .database()
          .run("update berth_private.task_limit set changed_at = changed_at - interval '1 hour'");

      for (int i = 0; i < TURNS; i++) {
        running = turn(only, running);
      }

      assertThat(running).hasSize(2);
    }
  }

  @Test
  void slotsOfAChangedLimitStayAgainHoweverOldThoseOfOthersAre() throws SQLException {
    submit(100, under("old"));
    submit(100, under("changed"));
    try (RawExchange only = RawExchange.open(fixture.database().url())) {
      List<Claimed> running = only.lanes(List.of(), null, 4).claims();
      long before = Collections.max(heldSince());
      fixture.advance(Duration.ofMillis(10));
      fixture.store().apply(new Command.SetLimit(LimitKey.shared("changed"), 3));

      running = turn(only, running);
      List<Long> since = heldSince();
      running = turn(only, running);

      assertThat(Collections.max(since)).as("taken anew").isGreaterThan(before);
      assertThat(heldSince()).isEqualTo(since);
    }
  }

  /** Standbys are enough to do, yet nobody may be left out for that. */
  @Test
  void besideALaneThatFillsTheWorkerOthersAreLookedAtWithOneExchangeInFour() throws SQLException {
    submit(400, under("full"));
    try (RawExchange only = RawExchange.open(fixture.database().url())) {
      List<Claimed> running = only.look(List.of(), 10, standbys(0)).claims();
      submit(400, under("other"));

      int looks = 0;
      for (int i = 0; i < 8; i++) {
        RawExchange.Answer answer = only.look(running, 10, standbys(running.size()));
        running = answer.claims();
        looks += answer.cursor() == null ? 0 : 1;
      }

      assertThat(looks).isEqualTo(2);
      assertThat(
              fixture
                  .database()
                  .query("select lane from berth_private.task where held is not null"))
          .contains("limit/other");
    }
  }

  /** Twenty more with the last of so many that ended, of at most thirty tasks. */
  private static String standbys(int ended) {
    String none = "null,".repeat(Math.max(0, ended - 1));
    return ended == 0 ? "" : ", p_standbys => '{%s20}', p_most => 30".formatted(none);
  }

  private static Draft under(String pool) {
    return Draft.task().type(RawExchange.TYPE).under(Limit.of(pool, 2));
  }

  /** Hands in all that runs, and claims as much, a moment later. */
  private List<Claimed> turn(RawExchange session, List<Claimed> running) throws SQLException {
    fixture.advance(Duration.ofMillis(100));
    return session.lanes(running, null, 4).claims();
  }

  private Draft limited() {
    return Draft.task().type(RawExchange.TYPE).under(limit, 4);
  }

  private void submit(int count, Draft like) {
    fixture
        .store()
        .submit(
            IntStream.range(0, count)
                .mapToObj(i -> like.ownId(TaskId.next()).submission())
                .toList());
  }

  /** When the slots that are in use were taken, in microseconds. */
  private List<Long> heldSince() {
    return fixture
        .database()
        .query(
            "select distinct berth_private.microseconds(held_since) from berth_private.task where"
                + " held is not null")
        .stream()
        .map(Long::valueOf)
        .sorted()
        .toList();
  }
}
