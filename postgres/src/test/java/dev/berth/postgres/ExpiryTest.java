package dev.berth.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.berth.limit.Limit;
import dev.berth.store.Ended;
import dev.berth.store.Exchanged;
import dev.berth.task.Outcome;
import dev.berth.task.TaskState;
import dev.berth.testkit.Claimer;
import dev.berth.testkit.Draft;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A session expires in the middle of its exchange: there is never a claim of a dead session. */
class ExpiryTest {

  private static final Outcome FINISHED = new Outcome.Finished(null);
  private static final Duration LEASE_OVER = Claimer.LEASE.plusSeconds(1);

  private final PostgresFixture fixture = PostgresFixture.on(Servers.NEWEST);
  private final PostgresStore store = fixture.store();

  @AfterEach
  void close() {
    fixture.close();
  }

  @Test
  void aSweepPassesOverASessionInTheMiddleOfItsExchange() throws SQLException {
    Claimer claimer = Claimer.open(store, "worker", Draft.TYPE);
    Draft draft = Draft.task();
    store.submit(List.of(draft.submission()));
    try (Connection connection = fixture.database().pool().getConnection()) {
      connection.setAutoCommit(false);
      assertThat(claim(connection, claimer)).containsExactly(draft.id().value());

      fixture.advance(LEASE_OVER);
      assertThat(store.sweep().sessionsExpired()).isZero();
      connection.commit();
    }
    assertThat(store.reader().find(draft.id()).orElseThrow().state()).isEqualTo(TaskState.RUNNING);

    assertThat(store.sweep().tasksReturned()).isEqualTo(1);
    assertThat(claimer.repeat()).isInstanceOf(Exchanged.SessionLost.class);
    assertThat(fixture.database().query("select state from berth_private.task"))
        .containsExactly("ready");
  }

  @Test
  void anExchangeInTheMiddleOfTheExpiryFindsItsSessionLost() throws Exception {
    Claimer claimer = Claimer.open(store, "worker", Draft.TYPE);
    Draft first = Draft.task();
    store.submit(List.of(first.submission()));
    var claimed = claimer.claimOne();
    fixture.advance(LEASE_OVER);
    CompletableFuture<Exchanged> late;
    try (Connection connection = fixture.database().pool().getConnection()) {
      connection.setAutoCommit(false);
      try (Statement statement = connection.createStatement()) {
        statement.execute("select * from berth_private.expire_sessions()");
      }
      // its session looks alive to it: the clock is back, only the lock tells
      fixture.advance(LEASE_OVER.negated());
      late =
          CompletableFuture.supplyAsync(() -> {
            var ended = new Ended(claimed.lease(), FINISHED);
            return claimer.exchange(List.of(ended), 10);
          });
      awaitExchangeAtALock();
      connection.commit();
    }
    assertThat(late.join()).isInstanceOf(Exchanged.SessionLost.class);
    assertThat(fixture.database().query("select state || ' ' || crashes from berth_private.task"))
        .containsExactly("ready 1");
  }

  @Test
  void aClaimInTheMiddleOfTheExpiryLeavesNoSlotsTaken() throws Exception {
    Claimer claimer = Claimer.open(store, "worker", Draft.TYPE);
    store.submit(List.of(Draft.task().under(Limit.of("gpu", 3)).submission()));
    CompletableFuture<Exchanged> late;
    try (Connection connection = fixture.database().pool().getConnection()) {
      connection.setAutoCommit(false);
      try (Statement statement = connection.createStatement()) {
        statement.execute("select berth.leave(" + Sql.proven(claimer.id()) + ")");
      }
      late = CompletableFuture.supplyAsync(() -> claimer.exchange(List.of(), 10));
      awaitExchangeAtALock();
      connection.commit();
    }
    assertThat(late.join()).isInstanceOf(Exchanged.SessionLost.class);
    assertThat(fixture.database().query("select 1 from berth_private.slot_group where used > 0"))
        .isEmpty();
  }

  private void awaitExchangeAtALock() {
    await()
        .until(() ->
            fixture
                    .database()
                    .query(
                        "select 1 from pg_stat_activity where datname = current_database()"
                            + " and wait_event_type = 'Lock' and query like '%berth.exchange(%'")
                    .size()
                == 1);
  }

  /** The exchange of a claimer on a connection whose transaction the test holds open. */
  private static List<UUID> claim(Connection connection, Claimer claimer) throws SQLException {
    try (PreparedStatement exchange =
        connection.prepareStatement(
            """
            select id from berth.exchange(%s, 1, '{}', '{}', '{}', '{}', '{}',
                array['default'], array[null]::int2[], array[null]::timestamptz[], array['scan'],
                array[null]::text[], array[?], 10)
             where kind = 'claim'
            """
                .formatted(Sql.caller(claimer.id())))) {
      exchange.setString(1, Draft.TYPE);
      try (ResultSet rows = exchange.executeQuery()) {
        List<UUID> ids = new ArrayList<>();
        while (rows.next()) {
          ids.add(rows.getObject(1, UUID.class));
        }
        return ids;
      }
    }
  }
}
