package dev.berth.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import dev.berth.Berth;
import dev.berth.postgres.Proxy.Cut;
import dev.berth.postgres.Proxy.Cut.Moment;
import dev.berth.store.StoreException;
import dev.berth.store.Submitted;
import dev.berth.task.TaskId;
import dev.berth.worker.Worker;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A connection is cut at the worst moments: nothing is lost and nothing happens twice. */
class LostReplyTest {

  private static final String EXCHANGE = "berth.exchange(";
  private static final String SUBMIT = "berth.submitting_batch (";

  private final TestDatabase database = TestDatabase.on(Servers.NEWEST);
  private final Berth direct = Berth.on(PostgresStore.of(database.pool()));
  private final Proxy proxy = Proxy.to(database.url());
  private final HikariDataSource pool = Servers.pool(proxy.url());
  private final Berth berth =
      Berth.on(PostgresStore.of(pool, PostgresOptions.DEFAULT.withoutWakeUps()));

  @AfterEach
  void close() {
    berth.close();
    pool.close();
    proxy.close();
    direct.close();
    database.close();
  }

  @Test
  void claimsOfALostReplyRunOnceInTheSameSession() throws InterruptedException {
    Map<TaskId, Integer> runs = new ConcurrentHashMap<>();
    submitNaps(30);
    Cut cut = proxy.cut(Moment.REPLY, "{\"millis\":0}");
    try (Worker worker =
        berth
            .worker()
            .handle(Nap.TYPE, (nap, task) -> runs.merge(task.id(), 1, Integer::sum))
            .start()) {
      cut.await();
      await().until(() -> worker.stats().finished() == 30);
      assertThat(worker.stats().sessionsLost()).isZero();
    }
    assertThat(runs).hasSize(30).allSatisfy((task, times) -> assertThat(times).isEqualTo(1));
    assertThat(database.query("select outcome || ' ' || attempt from berth.attempts"))
        .hasSize(30)
        .containsOnly("finished 1");
    assertThat(database.query("select distinct session_id from berth.attempts")).hasSize(1);
  }

  @ParameterizedTest
  @EnumSource(names = {"REQUEST", "REPLY_TO"})
  void outcomesAreRecordedOnce(Moment moment) throws InterruptedException {
    CountDownLatch open = new CountDownLatch(1);
    try (Worker worker =
        berth
            .worker()
            .maxConcurrentTasks(10)
            .handle(Nap.TYPE, (nap, task) -> open.await())
            .start()) {
      submitNaps(10);
      await().until(() -> worker.stats().inFlight() == 10); // full: it asks for nothing more
      Cut cut = proxy.cut(moment, EXCHANGE);
      open.countDown();
      cut.await();

      await().until(() -> worker.stats().finished() == 10);
      assertThat(worker.stats().staleOutcomes()).isZero();
    }
    assertThat(database.query("select outcome from berth.attempts"))
        .hasSize(10)
        .containsOnly("finished");
  }

  @ParameterizedTest
  @EnumSource(names = {"REQUEST", "REPLY_TO"})
  void aSubmitThatWasCutCanBeRepeated(Moment moment) throws InterruptedException {
    TaskId id = TaskId.named("mail", "order-42");
    Cut cut = proxy.cut(moment, SUBMIT);
    assertThatExceptionOfType(StoreException.class)
        .isThrownBy(() -> berth.submit(Nap.TYPE, new Nap(0), o -> o.id(id)))
        .satisfies(e -> assertThat(e.kind()).isEqualTo(StoreException.Kind.UNAVAILABLE))
        .withMessageStartingWith("Could not submit 1 task: the database does not answer (");
    cut.await();

    Submitted again = berth.trySubmit(Nap.TYPE, new Nap(0), o -> o.id(id));
    assertThat(again)
        .isEqualTo(
            moment == Moment.REPLY_TO ? new Submitted.Existing(id) : new Submitted.Accepted(id));
    assertThat(database.query("select id from berth.tasks")).containsExactly(id.toString());
  }

  private void submitNaps(int count) {
    direct.submitAll(Nap.TYPE, IntStream.range(0, count).mapToObj(number -> new Nap(0)));
  }
}
