package dev.berth.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import dev.berth.Berth;
import dev.berth.store.StoreException;
import dev.berth.store.Submitted;
import dev.berth.task.TaskId;
import dev.berth.worker.Worker;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.sql.Statement;
import java.time.Duration;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Submits that are part of the caller's transaction, which stays the caller's. */
class JoiningTest {

  private final TestDatabase database = TestDatabase.on(Servers.NEWEST);
  private final PostgresStore store = PostgresStore.of(database.pool());
  private final Berth berth = Berth.on(store);
  private Connection connection;

  @BeforeEach
  void begin() throws SQLException {
    database.run("create table orders (name text)");
    connection = database.pool().getConnection();
    connection.setAutoCommit(false);
    execute("insert into orders values ('ours')");
  }

  @AfterEach
  void close() throws SQLException {
    connection.close();
    berth.close();
    database.run("drop table orders");
    database.close();
  }

  @Test
  void aRollbackLeavesNothing() throws SQLException {
    TaskId id = joined().submit(Nap.TYPE, new Nap(0));
    joined().submit(Nap.TYPE, new Nap(0), o -> o.delay(Duration.ofMinutes(1)));
    assertThat(berth.find(id)).isEmpty();
    connection.rollback();

    assertThat(database.query("select id from berth.tasks")).isEmpty();
    assertThat(database.query("select name from orders")).isEmpty();
    assertStillUsable();
  }

  @Test
  void aCommitMakesItVisible() throws SQLException {
    TaskId id = joined().submit(Nap.TYPE, new Nap(0));
    assertThat(berth.find(id)).isEmpty();
    assertThat(database.query("select name from orders")).isEmpty();
    connection.commit();

    assertThat(berth.find(id)).isPresent();
    assertThat(database.query("select name from orders")).containsExactly("ours");
    assertStillUsable();
  }

  @Test
  void aCommitWakesAWorker() throws SQLException {
    try (Worker worker =
        berth
            .worker()
            .pollInterval(Duration.ofHours(1))
            .handle(Nap.TYPE, (nap, task) -> nap.take())
            .start()) {
      await().until(() -> worker.stats().exchanges() > 0);
      joined().submit(Nap.TYPE, new Nap(0));
      connection.commit();

      await().until(() -> worker.stats().finished() == 1);
    }
  }

  @Test
  void aSavepointTakesBackWhatFollowedIt() throws SQLException {
    TaskId kept = joined().submit(Nap.TYPE, new Nap(0));
    Savepoint savepoint = connection.setSavepoint();
    joined().submit(Nap.TYPE, new Nap(0));
    connection.rollback(savepoint);
    connection.commit();

    assertThat(database.query("select id from berth.tasks")).containsExactly(kept.toString());
  }

  @Test
  void aSubmitAfterAFailedStatementSaysWhy() throws SQLException {
    assertThatExceptionOfType(SQLException.class)
        .isThrownBy(() -> execute("insert into nowhere values (1)"));

    assertThatExceptionOfType(StoreException.class)
        .isThrownBy(() -> joined().submit(Nap.TYPE, new Nap(0)))
        .withMessage(
            "Could not submit 1 task in the caller's transaction: ERROR: current transaction is"
                + " aborted, commands ignored until end of transaction block");
    connection.rollback();
    assertStillUsable();
  }

  @Test
  void aRepeatWithTheSameIdIsOneTask() throws SQLException {
    TaskId id = TaskId.named("mail", "order-42");
    assertThat(joined().trySubmit(Nap.TYPE, new Nap(0), o -> o.id(id)))
        .isEqualTo(new Submitted.Accepted(id));
    assertThat(joined().trySubmit(Nap.TYPE, new Nap(0), o -> o.id(id)))
        .isEqualTo(new Submitted.Existing(id));
    connection.commit();

    assertThat(berth.trySubmit(Nap.TYPE, new Nap(0), o -> o.id(id)))
        .isEqualTo(new Submitted.Existing(id));
    assertThat(database.query("select id from berth.tasks")).containsExactly(id.toString());
  }

  @Test
  void aStreamOfAnyLengthIsOneTransaction() throws SQLException {
    joined().submitAll(Nap.TYPE, IntStream.range(0, 2_500).mapToObj(number -> new Nap(0)));
    connection.rollback();

    assertThat(database.query("select id from berth.tasks")).isEmpty();
  }

  @Test
  void underAutoCommitEachSubmitStandsForItself() throws SQLException {
    connection.commit();
    connection.setAutoCommit(true);
    TaskId id = joined().submit(Nap.TYPE, new Nap(0));

    assertThat(berth.find(id)).isPresent();
    assertThat(connection.getAutoCommit()).isTrue();
  }

  @Test
  void aPoolWithoutAutoCommitIsFine() throws SQLException {
    try (HikariDataSource manual = new HikariDataSource()) {
      manual.setJdbcUrl(database.url());
      manual.setAutoCommit(false);
      try (PostgresStore onManual = PostgresStore.of(manual);
          Berth other = Berth.on(onManual)) {
        TaskId id = other.submit(Nap.TYPE, new Nap(0));
        assertThat(berth.find(id)).isPresent();
        try (Connection own = manual.getConnection()) {
          assertThat(own.getAutoCommit()).isFalse();
          TaskId second = other.through(onManual.joining(own)).submit(Nap.TYPE, new Nap(0));
          assertThat(berth.find(second)).isEmpty();
          own.commit();
          assertThat(berth.find(second)).isPresent();
          assertThat(own.getAutoCommit()).isFalse();
        }
        try (Worker worker = other.worker().handle(Nap.TYPE, (nap, task) -> nap.take()).start()) {
          await().until(() -> worker.stats().finished() == 2);
        }
      }
    }
  }

  private Berth joined() {
    return berth.through(store.joining(connection));
  }

  private void execute(String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  /** The connection is open, in the caller's mode, and good for another transaction. */
  private void assertStillUsable() throws SQLException {
    assertThat(connection.isClosed()).isFalse();
    assertThat(connection.getAutoCommit()).isFalse();
    execute("insert into orders values ('next')");
    connection.rollback();
  }
}
