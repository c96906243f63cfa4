package dev.berth.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.limit.Limit;
import dev.berth.limit.LimitKey;
import dev.berth.store.Applied;
import dev.berth.store.Claim;
import dev.berth.store.Command;
import dev.berth.store.Ended;
import dev.berth.task.Outcome;
import dev.berth.testkit.Claimer;
import dev.berth.testkit.Draft;
import dev.berth.view.AuditFilter;
import dev.berth.view.Drift;
import dev.berth.view.Drift.Counter;
import dev.berth.view.LimitAudit;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Counters that somebody damaged are found and counted anew, also while workers run. */
class DoctorTest {

  private static final LimitKey GPU = LimitKey.shared("gpu");
  private static final LimitKey ADA = LimitKey.ofTypePer(Draft.TYPE, "user", "ada");
  private static final Outcome FINISHED = new Outcome.Finished(null);

  private final PostgresFixture fixture = PostgresFixture.on(Servers.NEWEST);
  private final PostgresStore store = fixture.store();
  private final Claimer claimer = Claimer.open(store, "worker", Draft.TYPE);

  @AfterEach
  void close() {
    fixture.close();
  }

  @Test
  void aSlotThatNobodyHoldsIsFoundAndFreed() {
    run(3, 5);
    damage("update berth_private.slot_group set used = 1 where key = 'limit/gpu' and used = 0");
    List<Drift> found = store.reader().drift();
    assertThat(found).hasSize(2).allMatch(drift -> drift.counter() == Counter.USED);
    assertThat(found).allMatch(drift -> drift.counted() == 1 && drift.actual() == 0);

    fix(GPU);
    assertThat(claim(5)).as("as many as are free").hasSize(2);
  }

  @Test
  void aSlotThatWasNotCountedIsFoundAndCounted() {
    List<Claim> running = run(5, 5);
    damage("update berth_private.slot_group set used = 0 where key = 'limit/gpu'");
    assertThat(store.reader().drift()).hasSize(5).allMatch(drift -> drift.actual() == 1);

    fix(GPU);
    assertThat(claim(1)).isEmpty();
    claimer.endAll(running, FINISHED);
    assertThat(claim(9)).hasSize(5);
  }

  @Test
  void capacitiesThatDoNotAddUpAreMadeTo() {
    run(2, 3);
    damage(
        "update berth_private.slot_group set capacity = capacity + 7 where key = 'limit/gpu' and"
            + " used = 0");
    assertThat(store.reader().drift()).containsExactly(new Drift(GPU, Counter.CAPACITY, 0, 10, 3));

    fix(GPU);
    assertThat(claim(9)).hasSize(1);
  }

  @Test
  void groupsThatAreGoneAreMadeAgain() {
    run(2, 3);
    damage("delete from berth_private.slot_group where key = 'limit/gpu'");
    assertThat(store.reader().drift())
        .extracting(Drift::counter)
        .contains(Counter.USED, Counter.CAPACITY);

    fix(GPU);
    assertThat(claim(9)).hasSize(1);
  }

  @Test
  void moreThanTheLimitDrains() {
    List<Claim> running = run(4, 4);
    damage("update berth_private.slot_group set used = 0, capacity = 0 where key = 'limit/gpu'");
    damage(
        "update berth_private.task_limit set slots = 2, override_slots = 2 where key ="
            + " 'limit/gpu'");
    assertThat(store.reader().drift()).isNotEmpty();

    fix(GPU);
    claimer.endAll(running.subList(0, 2), FINISHED);
    assertThat(claim(9)).as("two still run").isEmpty();
    claimer.end(running.get(2), FINISHED);
    assertThat(claim(9)).hasSize(1);
    assertThat(store.reader().drift()).isEmpty();
  }

  @Test
  void groupsOfKeysThatNobodyUsesAreFoundAndRemoved() {
    store.submit(List.of(Draft.task().under(ADA, 1).submission()));
    assertThat(claim(1)).hasSize(1);
    damage(
        "insert into berth_private.slot_group (key, number, capacity, used)"
            + " values ('type/mail/user/bob', 1, 1, 0), ('limit/gone', 1, 4, 0)");
    LimitKey bob = LimitKey.ofTypePer(Draft.TYPE, "user", "bob");
    LimitKey gone = LimitKey.shared("gone");
    assertThat(store.reader().drift())
        .containsExactly(
            new Drift(gone, Counter.UNUSED, 0, 1, 0), new Drift(bob, Counter.UNUSED, 0, 1, 0));

    assertThat(store.apply(new Command.RecountLimit(bob))).isEqualTo(Applied.DONE);
    fix(gone);
  }

  @Test
  void oneOfManyKeysIsCountedAnew() {
    store.submit(Stream.generate(() -> Draft.task().under(ADA, 2).submission()).limit(3).toList());
    List<Claim> running = claim(1);
    damage("update berth_private.slot_group set used = 2, capacity = 5 where key like '%/ada'");
    assertThat(store.reader().drift()).hasSize(2);

    fix(ADA);
    running.addAll(claim(5));
    assertThat(running).hasSize(2);
    claimer.endAll(running, FINISHED);
    assertThat(store.reader().drift()).isEmpty();
  }

  @Test
  void theViewIsAGauge() {
    run(1, 1);
    assertThat(fixture.database().count("select count(*) from berth.slot_drift")).isZero();
    damage("update berth_private.slot_group set used = 0");
    assertThat(fixture.database().count("select count(*) from berth.slot_drift")).isOne();
  }

  @Test
  @Timeout(value = 1, unit = TimeUnit.MINUTES)
  void countingAnewIsSafeWhileWorkersRun() throws Exception {
    submit(400, 3);
    List<CompletableFuture<Integer>> workers =
        Stream.generate(() -> CompletableFuture.supplyAsync(this::work)).limit(4).toList();
    int fixed = 0;
    while (workers.stream().anyMatch(worker -> !worker.isDone())) {
      damage(
          "update berth_private.slot_group set used = used + 1 where key = 'limit/gpu' and number ="
              + " 1");
      fixed += store.apply(new Command.RecountLimit(GPU)) == Applied.DONE ? 1 : 0;
      assertThat(store.reader().drift()).isEmpty();
      assertThat(store.reader().audit(AuditFilter.ALL)).noneMatch(LimitAudit::over);
    }
    int done = 0;
    for (CompletableFuture<Integer> worker : workers) {
      done += worker.get();
    }

    assertThat(done).isEqualTo(400);
    assertThat(fixed).isPositive();
    assertThat(fixture.database().count("select sum(used) from berth_private.slot_group")).isZero();
  }

  /** Runs what there is until nothing is left. */
  private int work() {
    Claimer own = Claimer.open(store, "other", Draft.TYPE);
    int done = 0;
    List<Claim> running = List.of();
    while (fixture.database().count("select count(*) from berth_private.task") > 0) {
      List<Ended> ended =
          running.stream().map(claim -> new Ended(claim.lease(), FINISHED)).toList();
      done += ended.size();
      running = Claimer.done(own.exchange(ended, 2)).claims();
    }
    return done;
  }

  /** So many tasks that run under a limit of so many slots, and more that wait. */
  private List<Claim> run(int tasks, int slots) {
    submit(tasks, slots);
    List<Claim> running = claim(tasks);
    assertThat(running).hasSize(tasks);
    submit(9, slots);
    return running;
  }

  private void submit(int tasks, int slots) {
    store.submit(
        Stream.generate(() -> Draft.task().under(Limit.of("gpu", slots)).submission())
            .limit(tasks)
            .toList());
  }

  /** Takes what it can get in a few exchanges. */
  private List<Claim> claim(int most) {
    List<Claim> claims = new ArrayList<>();
    for (int i = 0; i < 8 && claims.size() < most; i++) {
      claims.addAll(claimer.claim(most - claims.size()));
    }
    return claims;
  }

  private void damage(String sql) {
    fixture.database().run(sql);
  }

  private void fix(LimitKey key) {
    assertThat(store.apply(new Command.RecountLimit(key))).isEqualTo(Applied.DONE);
    assertThat(store.reader().drift()).isEmpty();
    assertThat(store.apply(new Command.RecountLimit(key))).isEqualTo(Applied.UNCHANGED);
  }
}
