package dev.berth.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import dev.berth.Berth;
import dev.berth.limit.Limit;
import dev.berth.limit.LimitKey;
import dev.berth.limit.Need;
import dev.berth.store.Claim;
import dev.berth.store.Ended;
import dev.berth.store.Exchanged;
import dev.berth.store.Held;
import dev.berth.store.Lease;
import dev.berth.store.StoreException;
import dev.berth.store.Submitted;
import dev.berth.task.Outcome;
import dev.berth.task.TaskId;
import dev.berth.task.TaskType;
import dev.berth.testkit.Claimer;
import dev.berth.testkit.Draft;
import dev.berth.view.QuotaView;
import dev.berth.worker.Worker;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Somebody holds a lock and keeps it: what does not need it goes on. */
@Timeout(value = 120, threadMode = ThreadMode.SEPARATE_THREAD) // who waits for a lock is deaf
class ForeignLockTest {

  private static final int OPEN_SECONDS = Integer.getInteger("berth.open-seconds", 1);
  private static final Outcome DONE = new Outcome.Finished(null);
  private static final LimitKey NAP = LimitKey.ofType("nap");
  private static final TaskType<Nap, Void> COUNTED = Nap.TYPE.quota(10_000);
  private static final TaskType<Nap, Void> OTHER = TaskType.of("other", Nap.class);

  private final TestDatabase database = TestDatabase.on(Servers.NEWEST);
  private final PostgresStore store = PostgresStore.of(database.pool());
  private final Berth berth = Berth.on(store);

  @AfterEach
  void close() {
    berth.close();
    database.close();
  }

  @Test
  void aSubmitUnderAQuotaThatStaysOpenHoldsUpNoWorker() throws Exception {
    int counted = Math.min(5_000, 500 * OPEN_SECONDS);
    berth.submitAll(COUNTED, naps(counted));
    try (Connection business = begun()) {
      berth.through(store.joining(business)).submit(COUNTED, new Nap(0));
      try (Worker worker =
          berth
              .worker()
              .maxConcurrentTasks(100)
              .handle(COUNTED, (nap, task) -> nap.take())
              .handle(OTHER, (nap, task) -> nap.take())
              .start()) {
        long until = System.nanoTime() + TimeUnit.SECONDS.toNanos(OPEN_SECONDS);
        int others = 0;
        do {
          berth.submitAll(OTHER, naps(50));
          others += 50;
          int expected = others;
          await().atMost(Duration.ofSeconds(5)).until(() -> finished("other") == expected);
        } while (System.nanoTime() < until);
        await().until(() -> finished("nap") == counted);
        assertThat(berth.reader().quotas()).isEmpty();

        business.commit();
        await().until(() -> finished("nap") == counted + 1);
        await().until(() -> database.count("select count(*) from berth_private.quota_return") == 0);
        assertThat(worker.stats().sessionsLost()).isZero();
      }
    }
    assertThat(database.query("select key from berth_private.quota_count")).isEmpty();
  }

  @Test
  void whatWasGivenBackMeanwhileIsThereForTheNextSubmit() throws SQLException {
    TaskType<Nap, Void> two = Nap.TYPE.quota(2);
    TaskId ended = berth.submit(two, new Nap(0));
    try (Connection business = begun()) {
      Berth joined = berth.through(store.joining(business));
      joined.submit(two, new Nap(0));
      berth.cancel(ended, "not wanted");
      assertThat(berth.reader().quotas()).isEmpty();

      // read committed: the same transaction sees it, and takes the place
      joined.submit(two, new Nap(0));
      assertThat(joined.trySubmit(two, new Nap(0))).isInstanceOf(Submitted.QuotaFull.class);
      business.commit();
    }
    assertThat(berth.reader().quotas()).containsExactly(new QuotaView(NAP, 2));
    assertThat(database.query("select key from berth_private.quota_return")).isEmpty();
  }

  @Test
  void theSweepTakesOffWhatWasGivenBackOnceTheCountIsFree() throws SQLException {
    TaskId ended = berth.submit(COUNTED, new Nap(0));
    berth.submit(COUNTED, new Nap(0));
    try (Connection business = begun()) {
      berth.through(store.joining(business)).submit(COUNTED, new Nap(0));
      berth.cancel(ended, "not wanted");
      store.sweep();
      assertThat(database.count("select count(*) from berth_private.quota_return")).isEqualTo(1);
      business.rollback();
    }
    assertThat(berth.reader().quotas()).containsExactly(new QuotaView(NAP, 1));
    store.sweep();
    assertThat(database.query("select key from berth_private.quota_return")).isEmpty();
    assertThat(berth.reader().quotas()).containsExactly(new QuotaView(NAP, 1));
  }

  /** Its snapshot sees what was given back, and not that another has used the place since. */
  @Test
  void inRepeatableReadAPlaceThatWasGivenBackIsNotTakenTwice() throws SQLException {
    TaskType<Nap, Void> one = Nap.TYPE.quota(1);
    TaskId ended = berth.submit(one, new Nap(0));
    try (Connection business = begun();
        Connection late = begun()) {
      berth.through(store.joining(business)).trySubmit(one, new Nap(0)); // locks, and is refused
      berth.cancel(ended, "not wanted");
      late.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
      execute(late, "select count(*) from berth_private.task");
      business.rollback();
      berth.submit(one, new Nap(0));

      assertThatExceptionOfType(StoreException.class)
          .isThrownBy(() -> berth.through(store.joining(late)).submit(one, new Nap(0)))
          .withMessageContaining("somebody else came first, try again");
      late.rollback();
    }
    assertThat(berth.reader().quotas()).containsExactly(new QuotaView(NAP, 1));
  }

  @Test
  void anOutcomeWhoseTaskIsLockedIsPutAsideAndTheOthersAreRecorded() throws Exception {
    CountDownLatch go = new CountDownLatch(1);
    berth.submitAll(OTHER, naps(10));
    try (Worker worker =
            berth.worker().maxConcurrentTasks(10).handle(OTHER, (nap, task) -> go.await()).start();
        Connection psql = begun()) {
      await().until(() -> worker.stats().inFlight() == 10);
      execute(psql, "select from berth_private.task order by id limit 1 for update");
      go.countDown();
      await().until(() -> finished("other") == 9);
      berth.submitAll(OTHER, naps(50));
      await().until(() -> finished("other") == 59);
      assertThat(worker.stats().inFlight()).isEqualTo(1);

      psql.rollback();
      await().until(() -> finished("other") == 60);
      await().until(() -> worker.stats().inFlight() == 0);
      assertThat(worker.stats().finished()).isEqualTo(60);
      assertThat(worker.stats().staleOutcomes()).isZero();
    }
  }

  @Test
  void aRepeatAfterALostReplyPutsTheSameAside() throws SQLException {
    berth.submitAll(OTHER, naps(3));
    Claimer claimer = Claimer.open(store, "worker", "other");
    List<Claim> claims = claimer.claim(3);
    Lease locked = claims.getFirst().lease();
    try (Connection psql = begun()) {
      execute(
          psql,
          "select from berth_private.task where id = '%s' for update".formatted(locked.task()));
      Exchanged.Done done = claimer.endAll(claims, DONE);
      assertThat(done.aside()).containsExactly(locked);
      assertThat(done.stale()).isEmpty();
      psql.rollback();
    }
    assertThat(Claimer.done(claimer.repeat()).aside()).containsExactly(locked);
    assertThat(finished("other")).isEqualTo(2);

    Exchanged again = claimer.exchange(List.of(new Ended(locked, DONE)), 0);
    assertThat(Claimer.done(again).aside()).isEmpty();
    assertThat(finished("other")).isEqualTo(3);
  }

  @Test
  void theSlotOfAnOutcomePutAsideStaysTaken() throws SQLException {
    store.submit(
        Stream.generate(() -> Draft.task().type("other").under(Limit.of("gpu", 1)).submission())
            .limit(2)
            .toList());
    Claimer claimer = Claimer.open(store, "worker", "other");
    Claim first = claimer.claimOne();
    try (Connection psql = begun()) {
      execute(psql, "select from berth_private.task where state = 'running' for update");
      assertThat(claimer.end(first, DONE).aside()).containsExactly(first.lease());
      assertThat(claimer.claim(1)).isEmpty();
      psql.rollback();
    }
    assertThat(claimer.end(first, DONE).aside()).isEmpty();
    assertThat(claimer.claim(1)).hasSize(1);
    assertThat(store.reader().drift()).isEmpty();
  }

  @Test
  void whoMeetsALockLosesHalfASecondOnce() throws SQLException {
    berth.submitAll(OTHER, naps(6));
    Claimer claimer = Claimer.open(store, "worker", "other");
    List<Claim> claims = claimer.claim(6);
    Claim locked = claims.getFirst();
    try (Connection psql = begun()) {
      execute(
          psql,
          "select from berth_private.task where id = '%s' for update"
              .formatted(locked.lease().task()));
      assertThat(claimer.end(locked, DONE).aside()).containsExactly(locked.lease());
      long began = System.nanoTime();
      for (Claim other : claims.subList(1, 6)) {
        assertThat(claimer.end(other, DONE).aside()).isEmpty();
        assertThat(claimer.end(locked, DONE).aside()).containsExactly(locked.lease());
      }
      // with a wait each time it would be five times half a second
      assertThat(Duration.ofNanos(System.nanoTime() - began)).isLessThan(Duration.ofSeconds(1));
      psql.rollback();
    }
    assertThat(claimer.end(locked, DONE).aside()).isEmpty();
    assertThat(finished("other")).isEqualTo(6);
  }

  @Test
  void anOutcomeWhoseWorkflowIsLockedIsPutAside() throws SQLException {
    store.submit(
        List.of(
            Draft.task().type("other").step("order", "pay").submission(),
            Draft.task().type("other").step("order", "ship").submission(),
            Draft.task().type("other").step("invoice", "print").submission(),
            Draft.task().type("other").submission()));
    store.sweep();
    Claimer claimer = Claimer.open(store, "worker", "other");
    List<Claim> claims = claimer.claim(4);
    assertThat(claims).hasSize(3);
    String pay = database.one("select id from berth_private.task where step = 'pay'");
    try (Connection psql = begun()) {
      execute(psql, "select berth.skip_step('order', 'ship')");
      assertThat(claimer.endAll(claims, DONE).aside())
          .extracting(lease -> lease.task().toString())
          .containsExactly(pay);
      assertThat(finished("other")).isEqualTo(2);
      psql.rollback();
    }
    Claim paid =
        claims.stream()
            .filter(c -> c.lease().task().toString().equals(pay))
            .findAny()
            .orElseThrow();
    assertThat(claimer.end(paid, DONE).aside()).isEmpty();
    assertThat(claimer.claim(1)).hasSize(1);
  }

  /** Such as a submit that names its pace, or a command, whose transaction is open yet. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "insert into berth.naming_paces (keys, paces) values ('{limit/new}', '{1000}')",
        "select berth.set_limit('limit/new', 1)",
        "select berth.pause_limit('limit/new')"
      })
  void aLimitThatIsJustBeingNamedHoldsUpNoOtherWork(String name) throws SQLException {
    Draft limited = Draft.task().type("other").under(Limit.of("new", 1));
    store.submit(
        List.of(
            limited.submission(),
            Draft.task().type("other").submission(),
            Draft.task().type("other").submission()));
    Claimer claimer = Claimer.open(store, "worker", "other");
    try (Connection psql = begun()) {
      execute(psql, name);
      Exchanged.Done done = Claimer.done(claimer.exchange(List.of(), 10));
      assertThat(done.claims()).extracting(Claim::lane).containsOnlyNulls().hasSize(2);
      assertThat(done.again()).as("when to look again").isPositive();
      claimer.endAll(done.claims(), DONE);
      assertThat(finished("other")).isEqualTo(2);
      psql.rollback();
    }
    assertThat(claimer.claim(10)).extracting(Claim::lane).doesNotContainNull().hasSize(1);
  }

  /** Their waits would add up. */
  @Test
  void manyLimitsThatAreJustBeingNamedCostAClaimNoMoreThanAFew() throws SQLException {
    int many = 200;
    store.submit(
        IntStream.range(0, many)
            .mapToObj(n -> Draft.task().type("other").under(Limit.of("new" + n, 1)).submission())
            .toList());
    store.submit(List.of(Draft.task().type("other").submission()));
    Claimer claimer = Claimer.open(store, "worker", "other");
    try (Connection psql = begun()) {
      execute(
          psql,
          "select berth.set_limit('limit/new' || n, 1) from generate_series(0, %d) as n"
              .formatted(many - 1));
      long began = System.nanoTime();
      Exchanged.Done done = Claimer.done(claimer.exchange(List.of(), many));
      assertThat(Duration.ofNanos(System.nanoTime() - began)).isLessThan(Duration.ofSeconds(4));
      assertThat(done.claims()).hasSize(1);
      assertThat(done.again()).as("when to look again").isPositive();
      psql.rollback();
    }
    assertThat(claimer.claim(many)).hasSize(many);
  }

  @Test
  void aHoldOfALimitThatIsJustBeingNamedHasNoSlot() throws SQLException {
    Need need = Need.of(Limit.of("new", 1), 1);
    Claimer holder = Claimer.open(store, "holder");
    try (Connection psql = begun()) {
      execute(psql, "select berth.set_limit('limit/new', 1)");
      assertThat(store.hold(holder.id(), 1, need)).isInstanceOf(Held.NoSlot.class);
      psql.rollback();
    }
    assertThat(store.hold(holder.id(), 2, need)).isInstanceOf(Held.Done.class);
  }

  private static Stream<Nap> naps(int count) {
    return IntStream.range(0, count).mapToObj(number -> new Nap(0));
  }

  private long finished(String type) {
    return database.count(
        "select count(*) from berth.tasks where state = 'FINISHED' and type = '" + type + "'");
  }

  private Connection begun() throws SQLException {
    Connection connection = DriverManager.getConnection(database.url());
    connection.setAutoCommit(false);
    return connection;
  }

  private static void execute(Connection connection, String sql) throws SQLException {
    try (var statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }
}
