package dev.berth.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.zaxxer.hikari.HikariDataSource;
import dev.berth.Berth;
import dev.berth.store.StoreException;
import dev.berth.store.StoreException.Kind;
import dev.berth.task.TaskId;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Migrations: once, by one of many, and never onto a schema from the future. */
class SchemaTest {

  private static final PostgresOptions NO_MIGRATION = PostgresOptions.DEFAULT.withoutMigration();
  private static final String VERSIONS =
      "select number || ' ' || name from berth.schema_version order by number";

  private final String url = Servers.NEWEST.emptyDatabase();
  private final HikariDataSource pool = Servers.pool(url);

  @AfterEach
  void close() {
    pool.close();
  }

  @Test
  void theSecondMigrationHasNothingToDo() {
    List<String> applied = new Schema(pool).migrate();
    assertThat(applied).isNotEmpty().isSorted().first().asString().startsWith("001_");

    assertThat(new Schema(pool).migrate()).isEmpty();
    assertThat(Sql.query(url, VERSIONS)).hasSameSizeAs(applied);
    new Schema(pool).check();
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
    assertThat(Sql.query(url, VERSIONS)).hasSize(Migration.all().size());
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
  void anOlderSchemaIsAnErrorWhereMigrationIsOff() {
    new Schema(pool).migrate();
    int newest = Migration.all().getLast().number();
    Sql.run(url, "delete from berth.schema_version where number = " + newest);

    assertThatExceptionOfType(StoreException.class)
        .isThrownBy(() -> PostgresStore.of(pool, NO_MIGRATION))
        .withMessage(
            "The schema berth is at version %d, this version needs %d: run `berth migrate`, or start"
                    .formatted(newest - 1, newest)
                + " with migration on");
  }

  @Test
  void aSchemaFromTheFutureIsLeftAlone() {
    new Schema(pool).migrate();
    int newest = Migration.all().getLast().number();
    Sql.run(url, "insert into berth.schema_version values (999, '999_future', '')");

    for (PostgresOptions options : List.of(PostgresOptions.DEFAULT, NO_MIGRATION)) {
      assertThatExceptionOfType(StoreException.class)
          .isThrownBy(() -> PostgresStore.of(pool, options))
          .withMessage(
              "The schema berth is at version 999, newer than this version of Berth knows (%d):"
                      .formatted(newest)
                  + " upgrade Berth here before it touches this database")
          .satisfies(e -> assertThat(e.kind()).isEqualTo(Kind.CORRUPT));
    }
    assertThat(Sql.query(url, VERSIONS)).hasSize(Migration.all().size() + 1);
  }

  @Test
  void aFailedMigrationLeavesNothing() {
    Sql.run(url, "create schema berth", "create view berth.tasks as select 1 as one");

    assertThatExceptionOfType(StoreException.class)
        .isThrownBy(() -> new Schema(pool).migrate())
        .withMessageStartingWith("Could not migrate the schema: ERROR: relation \"tasks\" already");
    assertThat(Sql.query(url, "select to_regclass('berth.task')::text")).containsOnlyNulls();
  }

  @Test
  void aRoleThatMayNotCreateAnythingCanSubmit() {
    new Schema(pool).migrate();
    Sql.run(
        url,
        "drop role if exists berth_submitter",
        "create role berth_submitter login",
        "revoke create on schema public from public",
        "grant usage on schema berth to berth_submitter",
        "grant select, insert, delete on all tables in schema berth to berth_submitter");
    try (HikariDataSource limited =
            Servers.pool(url.replace("user=postgres", "user=berth_submitter"));
        Berth berth = Berth.on(PostgresStore.of(limited))) {
      TaskId id = berth.submit(Nap.TYPE, new Nap(0));
      assertThat(berth.find(id)).isPresent();
    } finally {
      Sql.run(url, "drop owned by berth_submitter", "drop role berth_submitter");
    }
  }

  private void submitsAndFinds() {
    try (Berth berth = Berth.on(PostgresStore.of(pool, NO_MIGRATION))) {
      TaskId id = berth.submit(Nap.TYPE, new Nap(0));
      assertThat(berth.find(id)).isPresent();
    }
  }
}
