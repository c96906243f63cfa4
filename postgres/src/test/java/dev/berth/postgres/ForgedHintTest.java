package dev.berth.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.berth.Berth;
import dev.berth.worker.Worker;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** PostgreSQL lets every role notify on every channel. */
class ForgedHintTest {

  private static final long A_SECOND = TimeUnit.SECONDS.toNanos(1);

  @ParameterizedTest
  @ValueSource(
      strings = {
        "ready 0 5 default",
        "ready 9223372036854775807 5 default",
        "ready 0 -2 default",
        "ready 0 -1 ",
        "due 0 default",
        "due -9223372036854775808 default",
        "step 0 default",
        "step 9223372036854775807 default",
        "ready"
      })
  void whoSendsHintsWithoutEndDoesNotMakeAnIdleWorkerAskWithoutEnd(String forged) throws Exception {
    try (TestDatabase database = TestDatabase.on(Servers.NEWEST);
        Berth berth = Berth.on(PostgresStore.of(database.pool()));
        Worker worker = berth.worker().handle(Nap.TYPE, (nap, task) -> nap.take()).start();
        Connection anybody = DriverManager.getConnection(database.url());
        Statement statement = anybody.createStatement()) {
      await().until(() -> worker.stats().exchanges() > 10);
      long before = worker.stats().exchanges();
      long began = System.nanoTime();
      while (System.nanoTime() - began < A_SECOND) {
        statement.execute("select pg_notify('berth', '" + forged + "')");
      }

      assertThat(worker.stats().exchanges() - before).isLessThan(80);
      berth.submit(Nap.TYPE, new Nap(0));
      await().until(() -> worker.stats().finished() == 1);
    }
  }

  @Test
  void whatABusyWorkerHasFinishedIsRecordedWhateverIsSent() throws Exception {
    try (TestDatabase database = TestDatabase.on(Servers.NEWEST);
        Berth berth = Berth.on(PostgresStore.of(database.pool()));
        Worker worker = berth.worker().handle(Nap.TYPE, (nap, task) -> nap.take()).start();
        Connection anybody = DriverManager.getConnection(database.url());
        Statement statement = anybody.createStatement()) {
      int submitted = 0;
      for (long end = System.nanoTime() + 2 * A_SECOND; System.nanoTime() < end; submitted += 10) {
        for (int i = 0; i < 10; i++) {
          berth.submit(Nap.TYPE, new Nap(1));
        }
        statement.execute(
            "select pg_notify('berth', 'ready -9223372036854775808 5 default'),"
                + " pg_notify('berth', 'step -9223372036854775808 default')");
        statement.execute(
            "select pg_notify('berth', 'ready 0 ' || i || ' default') from generate_series(10,"
                + " 2000) i");
      }
      int all = submitted;
      await().until(() -> worker.stats().finished() + worker.stats().failed() == all);
      assertThat(worker.stats().failed()).isZero();
      assertThat(database.query("select distinct state from berth.tasks"))
          .containsExactly("FINISHED");
    }
  }
}
