package dev.berth.postgres;

import static java.util.stream.Collectors.joining;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.berth.Berth;
import dev.berth.limit.LimitKey;
import dev.berth.limit.WhenFull;
import dev.berth.store.Applied;
import dev.berth.store.QuotaFullException;
import dev.berth.store.StoreException;
import dev.berth.store.Submitted;
import dev.berth.task.TaskId;
import dev.berth.task.TaskType;
import dev.berth.testkit.Draft;
import dev.berth.view.QuotaView;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Quotas in the caller's transaction and from SQL, and what they lock. */
class QuotaTest {

  private static final int THREADS = 64;
  private static final LimitKey NAP = LimitKey.ofType("nap");
  private static final TaskType<Nap, Void> ONE = Nap.TYPE.quota(1);

  private final TestDatabase database = TestDatabase.on(Servers.NEWEST);
  private final PostgresStore store = PostgresStore.of(database.pool());
  private final Berth berth = Berth.on(store);

  @AfterEach
  void close() {
    berth.close();
    database.close();
  }

  /**
   * All look before any of them submits, so that every snapshot is older than the first commit: a
   * count of tasks would be 0 in each of them.
   */
  @ParameterizedTest
  @ValueSource(
      ints = {
        Connection.TRANSACTION_READ_COMMITTED,
        Connection.TRANSACTION_REPEATABLE_READ,
        Connection.TRANSACTION_SERIALIZABLE
      })
  void ofManyTransactionsExactlyOneIsAdmitted(int isolation) throws Exception {
    assertOneIsAdmitted(isolation, 1);
  }

  @ParameterizedTest
  @ValueSource(
      ints = {Connection.TRANSACTION_READ_COMMITTED, Connection.TRANSACTION_REPEATABLE_READ})
  void ofManyTransactionsExactlyOneIsAdmittedBesideTheOneThatIsThere(int isolation)
      throws Exception {
    berth.submit(Nap.TYPE.quota(2), new Nap(0));
    assertOneIsAdmitted(isolation, 2);
  }

  private void assertOneIsAdmitted(int isolation, int most) throws Exception {
    TaskType<Nap, Void> type = Nap.TYPE.quota(most);
    CyclicBarrier allLooked = new CyclicBarrier(THREADS);
    List<String> answers = new ArrayList<>();
    try (ExecutorService threads = Executors.newFixedThreadPool(THREADS)) {
      List<Future<String>> futures =
          IntStream.range(0, THREADS)
              .mapToObj(
                  number -> threads.submit(() -> submitAfterALook(type, isolation, allLooked)))
              .toList();
      for (Future<String> future : futures) {
        answers.add(future.get());
      }
    }

    assertThat(answers).filteredOn("accepted"::equals).hasSize(1);
    assertThat(answers)
        .filteredOn(answer -> !answer.equals("accepted"))
        .containsOnly(isolation == Connection.TRANSACTION_READ_COMMITTED ? "refused" : "40001");
    assertThat(database.count("select count(*) from berth_private.task")).isEqualTo(most);
    assertThat(berth.reader().quotas()).containsExactly(new QuotaView(NAP, most));
  }

  private String submitAfterALook(TaskType<Nap, Void> type, int isolation, CyclicBarrier allLooked)
      throws Exception {
    try (Connection connection = DriverManager.getConnection(database.url())) {
      connection.setAutoCommit(false);
      connection.setTransactionIsolation(isolation);
      execute(connection, "select count(*) from berth_private.task");
      allLooked.await();
      Submitted submitted = berth.through(store.joining(connection)).trySubmit(type, new Nap(0));
      connection.commit();
      return submitted instanceof Submitted.Accepted ? "accepted" : "refused";
    } catch (StoreException e) {
      assertThat(e.kind()).isEqualTo(StoreException.Kind.UNAVAILABLE);
      assertThat(e).hasMessageContaining("somebody else came first, try again");
      return ((SQLException) e.getCause()).getSQLState();
    }
  }

  private interface Submit {
    void in(Connection connection, List<String> quotas) throws SQLException;
  }

  @Test
  void batchesLockTheirQuotasInOneOrder() throws Exception {
    assertOneOrder((connection, quotas) -> {
      Draft task = Draft.task();
      for (String quota : quotas) {
        task = task.quota(LimitKey.shared(quota), 1_000_000, WhenFull.REFUSE);
      }
      store.joining(connection).submit(List.of(task.submission()));
    });
  }

  @Test
  void submitsFromSqlLockTheirQuotasInOneOrder() throws Exception {
    assertOneOrder((connection, quotas) ->
        execute(
            connection,
            quotas.stream()
                .map("\"limit/%s\": 1000000"::formatted)
                .collect(joining(", ", "select berth.submit('nap', quotas => '{", "}')"))));
  }

  /** In the caller's transaction nobody tries again: a deadlock is seen. */
  private void assertOneOrder(Submit submit) throws Exception {
    int many = 8;
    CyclicBarrier start = new CyclicBarrier(many);
    try (ExecutorService threads = Executors.newFixedThreadPool(many)) {
      List<Future<Void>> futures = new ArrayList<>();
      for (int i = 0; i < many; i++) {
        futures.add(
            threads.submit(() -> {
              List<String> quotas = new ArrayList<>(List.of("a", "b", "c", "d", "e", "f"));
              try (Connection connection = DriverManager.getConnection(database.url())) {
                execute(connection, "set deadlock_timeout = '20ms'");
                start.await();
                connection.setAutoCommit(false);
                for (int round = 0; round < 30; round++) {
                  Collections.shuffle(quotas);
                  submit.in(connection, quotas);
                  connection.commit();
                }
              }
              return null;
            }));
      }
      for (Future<Void> future : futures) {
        future.get();
      }
    }
    assertThat(berth.reader().quotas()).hasSize(6).allMatch(quota -> quota.count() == 30 * many);
  }

  @Test
  void aStreamThatIsRefusedInPartSaysHowMuchOfIt() {
    assertThatExceptionOfType(QuotaFullException.class)
        .isThrownBy(
            () -> berth.submitAll(Nap.TYPE.quota(3), IntStream.range(0, 5).mapToObj(Nap::new)))
        .withMessage(
            "The quota type/nap is full (3 pending or running): 2 of the last 5 tasks were not"
                + " submitted, 3 were");

    assertThat(berth.reader().quotas()).containsExactly(new QuotaView(NAP, 3));
  }

  @Test
  void aUniqueTaskIsSubmittedOnce() {
    TaskType<Nap, Void> unique = Nap.TYPE.uniquePer("length", Nap::millis);

    TaskId first = berth.submit(unique, new Nap(7));

    assertThat(berth.submit(unique, new Nap(7))).isEqualTo(first);
    assertThat(berth.submit(unique, new Nap(8))).isNotEqualTo(first);
    assertThat(database.query("select key from berth_private.quota_count order by key"))
        .containsExactly("type/nap/length/7", "type/nap/length/8");
  }

  @Test
  void aRollbackCountsNothing() throws SQLException {
    try (Connection connection = begun()) {
      berth.through(store.joining(connection)).submit(ONE, new Nap(0));
      connection.rollback();
    }

    assertThat(berth.reader().quotas()).isEmpty();
    berth.submit(ONE, new Nap(0));
  }

  @Test
  void aSavepointTakesBackTheCount() throws SQLException {
    try (Connection connection = begun()) {
      Berth joined = berth.through(store.joining(connection));
      var savepoint = connection.setSavepoint();
      joined.submit(ONE, new Nap(0));
      assertThat(joined.trySubmit(ONE, new Nap(0))).isInstanceOf(Submitted.QuotaFull.class);
      connection.rollback(savepoint);
      joined.submit(ONE, new Nap(0));
      connection.commit();
    }

    assertThat(berth.reader().quotas()).containsExactly(new QuotaView(NAP, 1));
  }

  @Test
  void aSubmitWithoutAQuotaHasNothingToDoWithCounts() throws SQLException {
    try (Connection connection = begun()) {
      berth.through(store.joining(connection)).submit(ONE, new Nap(0));
      assertThat(locksOnQuotas()).isNotEmpty();
      connection.rollback();
      berth.through(store.joining(connection)).submit(Nap.TYPE, new Nap(0));
      assertThat(locksOnQuotas()).isEmpty();
      connection.rollback();
    }
  }

  /** Who holds a count waits for nobody who wants it: what is locked is not replaced. */
  @Test
  void aTaskInOtherHandsIsNotReplaced() throws SQLException {
    TaskType<Nap, Void> replacing = Nap.TYPE.quota(1, WhenFull.REPLACE);
    TaskId first = berth.submit(replacing, new Nap(0));
    try (Connection connection = begun()) {
      execute(connection, "select from berth_private.task where id = '" + first + "' for update");

      assertThatExceptionOfType(QuotaFullException.class)
          .isThrownBy(() -> berth.submit(replacing, new Nap(0)))
          .withMessage(
              "The quota type/nap is full (1 pending or running): the task was not submitted");
      connection.rollback();
    }

    berth.submit(replacing, new Nap(0));
    assertThat(berth.reader().quotas()).containsExactly(new QuotaView(NAP, 1));
  }

  @Test
  void sqlSubmitsCountToo() {
    String submit = "select berth.submit('nap', quotas => '{\"type/nap\": 1, \"limit/disk\": 2}')";
    TaskId id = TaskId.parse(database.one(submit));

    assertThatExceptionOfType(AssertionError.class)
        .isThrownBy(() -> database.run(submit))
        .withMessageContaining(
            "The quota type/nap is full (1 pending or running): the task was not submitted");
    assertThat(berth.trySubmit(ONE, new Nap(0))).isInstanceOf(Submitted.QuotaFull.class);
    assertThat(berth.reader().quotas())
        .containsExactly(new QuotaView(LimitKey.shared("disk"), 1), new QuotaView(NAP, 1));

    database.run("select berth.cancel('" + id + "')");
    assertThat(berth.reader().quotas()).isEmpty();
    berth.submit(ONE, new Nap(0));
    assertThat(database.one("select berth.retry('" + id + "')")).isEqualTo("full");
    assertThat(berth.retry(id)).isEqualTo(Applied.QUOTA_FULL);
  }

  @Test
  void theQuotaOfATypeCountsForSqlSubmitsThatDoNotNameIt() {
    berth.worker().handle(ONE, (nap, task) -> {}).queue("other").start().close();
    database.run("select berth.submit('nap')");

    assertThatExceptionOfType(AssertionError.class)
        .isThrownBy(() -> database.run("select berth.submit('nap')"))
        .withMessageContaining("The quota type/nap is full (1 pending or running)");
    assertThatExceptionOfType(AssertionError.class)
        .isThrownBy(() -> database.run("select berth.submit_step('w', 's', 'nap')"))
        .withMessageContaining("The quota type/nap is full (1 pending or running)");
    assertThat(berth.reader().quotas()).containsExactly(new QuotaView(NAP, 1));

    berth.worker().handle(Nap.TYPE, (nap, task) -> {}).queue("other").start().close();
    database.run("select berth.submit('nap')");
    assertThat(berth.reader().quotas()).containsExactly(new QuotaView(NAP, 1));
  }

  @Test
  void anSqlSubmitDoesWhatTheTypeSaysWhenItIsFull() {
    TaskType<Nap, Void> unique = Nap.TYPE.uniquePer("millis", Nap::millis);
    berth.worker().handle(unique, (nap, task) -> {}).queue("other").start().close();
    TaskId first = berth.submit(unique, new Nap(7));
    String submit = "select berth.submit('nap', quotas => '{\"type/nap/millis/7\": null}')";

    assertThat(database.one(submit)).isEqualTo(first.toString());
    assertThatExceptionOfType(AssertionError.class)
        .isThrownBy(() -> database.run("select berth.submit('nap')"))
        .withMessageContaining(
            "A task of type nap needs a millis for its quota type/nap/millis: name it, as in"
                + " quotas => '{\"type/nap/millis/…\": null}'");
  }

  @Test
  void anSqlSubmitWithTheSameIdIsOneTask() {
    String submit =
        "select berth.submit('nap', id => '00000000-0000-0000-0000-00000000002a',"
            + " quotas => '{\"type/nap\": 1}')";
    database.run(submit, submit);

    assertThat(berth.reader().quotas()).containsExactly(new QuotaView(NAP, 1));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "[]                            | Quotas are an object of numbers",
        "{\"type/nap\": -1}            | The quota type/nap cannot be -1: use 0 (refuses all)",
        "{\"type/nap\": 1000001}       | The quota type/nap cannot be 1000001",
        "{\"type/nap\": 1.5}           | The quota type/nap cannot be 1.5",
        "{\"type/nap\": \"1\"}         | The quota type/nap cannot be \"1\"",
        "{\"type/nap\": null}          | The quota type/nap cannot be null",
        "{\"nap\": 1}                  | \"nap\" is not the key of a quota",
        "{\"type/nap/db\": 1}          | \"type/nap/db\" is not the key of a quota",
        "{\"type/nap/db/ \": 1}        | is not the key of a quota",
        "{\"type/5%\": 1}              | \"type/5%\" is not the key of a quota",
        "{\"type/nap\": 0}             | The quota type/nap is 0: the task was not submitted"
      })
  void anSqlSubmitWithAWrongQuotaSaysSo(String quotas, String error) {
    assertThatExceptionOfType(AssertionError.class)
        .isThrownBy(() -> database.run("select berth.submit('nap', quotas => '" + quotas + "')"))
        .withMessageContaining(error);
    assertThat(database.query("select id from berth_private.task")).isEmpty();
    assertThat(database.query("select key from berth_private.quota_count")).isEmpty();
  }

  @Test
  void countsThatNobodyNeedsAreGone() {
    TaskId id = berth.submit(ONE, new Nap(0));
    berth.trySubmit(Nap.TYPE.quota(0), new Nap(0));
    berth.cancel(id, "not wanted");
    berth.trySubmit(Nap.TYPE.quota(0), new Nap(0));

    assertThat(database.query("select key from berth_private.quota_count")).isEmpty();
    assertThat(database.query("select key from berth_private.quota_task")).isEmpty();
  }

  private Connection begun() throws SQLException {
    Connection connection = database.pool().getConnection();
    connection.setAutoCommit(false);
    return connection;
  }

  private List<String> locksOnQuotas() {
    return database.query(
        "select mode from pg_locks where relation in ('berth_private.quota_count'::regclass,"
            + " 'berth_private.quota_task'::regclass) and pid <> pg_backend_pid()"
            // other databases are copies with the same numbers
            + " and database = (select oid from pg_database where datname = current_database())");
  }

  private static void execute(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }
}
