package dev.berth.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import dev.berth.Berth;
import dev.berth.store.StoreException;
import dev.berth.store.StoreException.Kind;
import dev.berth.task.TaskId;
import dev.berth.testkit.Claimer;
import dev.berth.testkit.Draft;
import dev.berth.view.Capacity;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Migrations: once, by one of many, and never onto a schema from the future. */
class SchemaTest {

  private static final PostgresOptions NO_MIGRATION = PostgresOptions.DEFAULT.withoutMigration();
  private static final String VERSIONS =
      "select number || ' ' || name from berth_private.schema_version order by number";

  private static final String WAITS =
      "select pid from pg_locks where mode = 'AccessExclusiveLock' and not granted";

  private final String url = Servers.NEWEST.emptyDatabase();
  private final HikariDataSource pool = Servers.pool(url);

  @AfterEach
  void close() {
    pool.close();
  }

  @Test
  void theSecondMigrationHasNothingToDo() {
    List<String> applied = new Schema(pool).migrate();
    assertThat(applied).startsWith("001_schema").endsWith("functions");

    assertThat(new Schema(pool).migrate()).isEmpty();
    assertThat(Sql.query(url, VERSIONS)).hasSameSizeAs(applied);
    new Schema(pool).check();
  }

  @Test
  void whoMayNotCreateIsToldWhichRightIsMissing() {
    String role = "visitor_" + System.nanoTime();
    Servers.NEWEST.createRole(role);
    try (HikariDataSource visitor = Servers.pool(Sql.as(role, url))) {
      assertThatExceptionOfType(StoreException.class)
          .isThrownBy(() -> new Schema(visitor).migrate())
          .withMessageContaining("permission denied for database")
          .withMessageContaining("needs the right CREATE on the database")
          .satisfies(e -> assertThat(e.getMessage()).doesNotContain("berth.allow"));
    }
  }

  @Test
  void ofManyAtOnceOneMigrates() throws Exception {
    CyclicBarrier together = new CyclicBarrier(4);
    List<List<String>> applied = new ArrayList<>();
    try (ExecutorService threads = Executors.newFixedThreadPool(4)) {
      List<Future<List<String>>> migrations = new ArrayList<>();
      for (int i = 0; i < 4; i++) {
        migrations.add(
            threads.submit(() -> {
              together.await();
              return new Schema(pool).migrate();
            }));
      }
      for (Future<List<String>> migration : migrations) {
        applied.add(migration.get());
      }
    }
    assertThat(applied).filteredOn(names -> !names.isEmpty()).hasSize(1);
    assertThat(Sql.query(url, VERSIONS)).hasSize(Migration.all().size() + 1);
  }

  @Test
  void theScriptDoesTheSame() {
    Sql.run(url, Schema.script());

    assertThat(new Schema(pool).migrate()).isEmpty();
    submitsAndFinds();
  }

  @Test
  void aMissingSchemaIsAnErrorWhereMigrationIsOff() {
    assertThatExceptionOfType(StoreException.class)
        .isThrownBy(() -> PostgresStore.of(pool, NO_MIGRATION))
        .withMessage(
            "The database has no schema berth yet: run `berth migrate`, or start with migration on")
        .satisfies(e -> assertThat(e.kind()).isEqualTo(Kind.CORRUPT));
    assertThat(Sql.query(url, "select 1 from pg_namespace where nspname = 'berth'")).isEmpty();
  }

  @Test
  void otherFunctionsAreAnErrorWhereMigrationIsOffAndAreReplacedWhereItIsOn() {
    new Schema(pool).migrate();
    Sql.run(
        url,
        "update berth_private.schema_version set checksum = 'older' where number = 0",
        "create or replace function berth_private.now() returns timestamptz language sql as 'select"
            + " null::timestamptz'",
        "create function berth_private.of_yesterday() returns integer language sql as 'select 1'");

    assertThatExceptionOfType(StoreException.class)
        .isThrownBy(() -> PostgresStore.of(pool, NO_MIGRATION))
        .withMessage(
            "The functions of the schema berth are not those of this version: run `berth migrate`,"
                + " or start with migration on");
    assertThat(new Schema(pool).migrate()).containsExactly("functions");
    assertThat(Sql.query(url, "select berth_private.now()")).doesNotContainNull();
    assertThat(Sql.query(url, "select 1 from pg_proc where proname = 'of_yesterday'")).isEmpty();
    submitsAndFinds();
  }

  @Test
  void aMigrationThatWasChangedAfterItWasAppliedIsAnError() {
    new Schema(pool).migrate();
    Sql.run(url, "update berth_private.schema_version set checksum = 'another' where number = 1");

    for (PostgresOptions options : List.of(PostgresOptions.DEFAULT, NO_MIGRATION)) {
      assertThatExceptionOfType(StoreException.class)
          .isThrownBy(() -> PostgresStore.of(pool, options))
          .withMessageStartingWith(
              "The migration 001_schema of this database is another one than that of this version");
    }
  }

  @Test
  void aSchemaOfAnEarlyVersionIsAnError() {
    Sql.run(url, "create schema berth", "create table berth.schema_version (number integer)");

    assertThatExceptionOfType(StoreException.class)
        .isThrownBy(() -> new Schema(pool).migrate())
        .withMessageStartingWith("The schema berth was made by a version before 0.1.0");
  }

  @Test
  void viewsOfOthersOnOursAreNamedAndKept() {
    new Schema(pool).migrate();
    Sql.run(
        url,
        "create view public.my_tasks as select id from berth.tasks",
        "update berth_private.schema_version set checksum = 'older' where number = 0");

    assertThatExceptionOfType(StoreException.class)
        .isThrownBy(() -> new Schema(pool).migrate())
        .withMessageContaining("my_tasks");
    assertThat(Sql.query(url, "select count(*) from public.my_tasks")).containsExactly("0");
  }

  @Test
  void nothingIsTakenOverThatSomebodyElseMade() {
    Sql.run(url, "drop role if exists berth_stranger", "create role berth_stranger");
    try {
      Sql.run(url, "create schema berth authorization berth_stranger");
      assertThatExceptionOfType(StoreException.class)
          .isThrownBy(() -> new Schema(pool).migrate())
          .withMessageStartingWith(
              "Could not migrate the schema: the schema berth belongs to role berth_stranger, and"
                  + " you are postgres");
      Sql.run(
          url,
          "alter schema berth owner to postgres",
          "create schema berth_private",
          "create table berth_private.schema_version (number integer, name text, checksum text,"
              + " applied_at timestamptz)",
          "alter table berth_private.schema_version owner to berth_stranger");
      assertThatExceptionOfType(StoreException.class)
          .isThrownBy(() -> new Schema(pool).migrate())
          .withMessageContaining(
              "the relation berth_private.schema_version belongs to role berth_stranger");
    } finally {
      Sql.run(url, "drop owned by berth_stranger", "drop role berth_stranger");
    }
  }

  @Test
  void nothingThatSomebodyElseMadeIsCalled() {
    Sql.run(url, "drop role if exists berth_second_stranger", "create role berth_second_stranger");
    try {
      Sql.run(
          url,
          "create table public.loot (by text)",
          "create schema berth authorization berth_second_stranger",
          "create function berth.applied_migrations() returns table (number integer, name text,"
              + " checksum text) language plpgsql as $$ begin insert into public.loot values"
              + " (current_user); end $$",
          "alter function berth.applied_migrations() owner to berth_second_stranger");
      assertThatExceptionOfType(StoreException.class)
          .isThrownBy(() -> new Schema(pool).migrate())
          .withMessageContaining("the schema berth belongs to role berth_second_stranger");
      assertThatThrownBy(() -> Sql.run(url, Schema.script()))
          .rootCause()
          .hasMessageContaining("schema \"berth\" already exists");
      assertThat(Sql.query(url, "select by from public.loot")).isEmpty();
    } finally {
      Sql.run(
          url, "drop owned by berth_second_stranger cascade", "drop role berth_second_stranger");
    }
  }

  @Test
  void aSchemaFromTheFutureIsLeftAlone() {
    new Schema(pool).migrate();
    int newest = Migration.all().getLast().number();
    Sql.run(url, "insert into berth_private.schema_version values (999, '999_future', '')");

    for (PostgresOptions options : List.of(PostgresOptions.DEFAULT, NO_MIGRATION)) {
      assertThatExceptionOfType(StoreException.class)
          .isThrownBy(() -> PostgresStore.of(pool, options))
          .withMessage(
              "The schema berth is at version 999, newer than this version of Berth knows (%d):"
                      .formatted(newest)
                  + " upgrade Berth here before it touches this database")
          .satisfies(e -> assertThat(e.kind()).isEqualTo(Kind.CORRUPT));
    }
    assertThat(Sql.query(url, VERSIONS)).hasSize(Migration.all().size() + 2);
  }

  @Test
  void whatIsNotOursIsLeftAlone() {
    Sql.run(url, "create schema berth", "create view berth.tasks as select 1 as one");

    assertThatExceptionOfType(StoreException.class)
        .isThrownBy(() -> new Schema(pool).migrate())
        .withMessage(
            "Could not migrate the schema: there is berth.tasks, which is not Berth's; the schemas"
                + " berth and berth_private must be empty or not there at all");
    assertThat(Sql.query(url, "select one from berth.tasks")).containsExactly("1");
  }

  @Test
  void aFailedMigrationLeavesNothing() {
    Sql.run(url, "create type public.text as enum ('x')"); // not in the way: our names are fixed
    Sql.run(
        url,
        "create schema berth",
        "alter database %s set default_transaction_read_only = on"
            .formatted(Sql.query(url, "select current_database()").getFirst()));
    pool.getHikariPoolMXBean().softEvictConnections();

    assertThatExceptionOfType(StoreException.class)
        .isThrownBy(() -> new Schema(pool).migrate())
        .withMessageStartingWith("Could not migrate the schema: ERROR: cannot execute");
    assertThat(Sql.query(url, "select to_regclass('berth_private.task')::text"))
        .containsOnlyNulls();
  }

  @Test
  void aLockThatSomebodyElseHoldsIsSaid() throws Exception {
    try (Connection other = DriverManager.getConnection(url);
        Statement statement = other.createStatement()) {
      statement.execute("select pg_advisory_lock(" + MigrationLock.NUMBER + ")");
      assertThatExceptionOfType(StoreException.class)
          .isThrownBy(() -> new Schema(pool, Duration.ofSeconds(1)).migrate())
          .withMessageMatching(
              "Could not migrate the schema: backend \\d+ of role postgres has held the lock of"
                  + " migrations for 1 s; if it is no migration, end it with pg_terminate_backend");
    }
  }

  /** Nor for anybody else: whoever works waits behind it for a moment only. */
  @Test
  void anOpenTransactionDoesNotHoldTheMigrationUpForEver() throws Exception {
    new Schema(pool).migrate();
    PostgresStore store = PostgresStore.of(pool, NO_MIGRATION);
    Claimer claimer = Claimer.open(store, "worker", Draft.TYPE);
    Sql.run(url, "update berth_private.schema_version set checksum = 'older' where number = 0");
    try (ExecutorService threads = Executors.newFixedThreadPool(1);
        Connection reader = Sql.longTransaction(url);
        Statement statement = reader.createStatement()) {
      statement.execute("select 1 from berth.tasks");
      Future<List<String>> migration =
          threads.submit(() -> new Schema(pool, Duration.ofSeconds(4)).migrate());
      await().until(() -> !Sql.query(url, WAITS).isEmpty());
      await().ignoreExceptions().until(() -> claimer.claim(1).isEmpty());
      assertThat(migration).as("while an exchange went through").isNotDone();
      assertThatThrownBy(() -> migration.get(30, TimeUnit.SECONDS))
          .cause()
          .isInstanceOf(StoreException.class)
          .hasMessageMatching(
              "Could not migrate the schema: backend \\d+ of role postgres has had its tables in"
                  + " use for 4 s, in one transaction; end that, or the backend with"
                  + " pg_terminate_backend");
      Future<List<String>> again = threads.submit(() -> new Schema(pool).migrate());
      await().until(() -> !Sql.query(url, WAITS).isEmpty());
      reader.rollback();
      assertThat(again.get(30, TimeUnit.SECONDS)).containsExactly("functions");
    } finally {
      store.close();
    }
  }

  @Test
  void aWorkerOfAnotherVersionIsTurnedAway() {
    new Schema(pool).migrate();
    PostgresStore store = PostgresStore.of(pool, NO_MIGRATION);
    Claimer claimer = Claimer.open(store, "old", Draft.TYPE);
    store.submit(List.of(Draft.task().submission()));
    Sql.run(
        url,
        "create or replace function berth_private.schema_number() returns integer language sql"
            + " immutable as 'select 999'");

    String sentence =
        "The schema berth is at version 999, and this worker was built for version %d: start a worker"
                .formatted(Migration.NEWEST)
            + " of the version that migrated the database";
    List<Runnable> calls =
        List.of(
            () -> claimer.exchange(List.of(), 1),
            () -> store.heartbeat(claimer.id(), new Capacity(1, 1, 0), Map.of()),
            () -> Claimer.open(store, "another", Draft.TYPE));
    for (Runnable call : calls) {
      assertThatExceptionOfType(StoreException.class)
          .isThrownBy(call::run)
          .withMessageContaining(sentence)
          .satisfies(e -> assertThat(e.kind()).isEqualTo(Kind.CORRUPT));
    }
    assertThat(Sql.query(url, "select state from berth_private.task")).containsExactly("ready");
    store.close();
  }

  private void submitsAndFinds() {
    try (Berth berth = Berth.on(PostgresStore.of(pool, NO_MIGRATION))) {
      TaskId id = berth.submit(Nap.TYPE, new Nap(0));
      assertThat(berth.find(id)).isPresent();
    }
  }
}
