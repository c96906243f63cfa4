package dev.berth.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import dev.berth.Berth;
import dev.berth.task.Outcome;
import dev.berth.testkit.Claimer;
import dev.berth.testkit.Seeds;
import dev.berth.view.AuditFilter;
import dev.berth.view.LimitAudit;
import dev.berth.view.LimitView;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

/**
 * Worker processes are killed at random while twenty limits are busy: two of them here, as many as
 * {@code -Dberth.kills=NUMBER} says in a long run. Others compete with them for each slot.
 */
@Isolated("it needs the machine for its processes")
class KilledWorkersTest {

  private static final int WORKERS = 2;
  private static final int COMPETITORS = 4;
  private static final int TASKS_PER_KILL = 200;
  private static final Duration PATIENCE = Duration.ofSeconds(90);

  private final String url = Servers.NEWEST.database();
  private final int kills = Integer.getInteger("berth.kills", 2);
  private final int tasks = TASKS_PER_KILL * (kills + 1);
  private final Random random = Seeds.random("killed workers");

  @Test
  void noLimitIsExceededAndNothingIsLost() throws Exception {
    Sql.run(url, LimitedWork.TABLE);
    List<WorkerProcess> workers = new ArrayList<>();
    try (HikariDataSource pool = Servers.patientPool(url);
        PostgresStore store = PostgresStore.of(pool);
        Berth berth = Berth.on(store)) {
      for (int i = 0; i < tasks; i++) {
        LimitedWork.random(random).submit(berth);
      }
      for (int i = 0; i < WORKERS; i++) {
        workers.add(worker());
      }
      workers.forEach(WorkerProcess::awaitUp);
      killWhileOthersCompete(store, workers);

      assertNothingIsLost();
      assertNoLimitWasExceeded(berth);
      assertThat(berth.reader().limits()).extracting(LimitView::used).containsOnly(0);
      assertThat(berth.reader().drift()).isEmpty();
    } finally {
      workers.forEach(WorkerProcess::close);
    }
  }

  private void killWhileOthersCompete(PostgresStore store, List<WorkerProcess> workers)
      throws Exception {
    AtomicBoolean over = new AtomicBoolean();
    try (ExecutorService threads = Executors.newFixedThreadPool(COMPETITORS)) {
      List<Future<Void>> competitors =
          Stream.generate(() -> threads.submit(() -> compete(store, over)))
              .limit(COMPETITORS)
              .toList();
      try {
        kill(store, workers);
      } finally {
        over.set(true);
        for (Future<Void> competitor : competitors) {
          competitor.get();
        }
      }
    }
  }

  private void kill(PostgresStore store, List<WorkerProcess> workers) {
    for (int kill = 0; kill < kills; kill++) {
      awaitFinished(kill * TASKS_PER_KILL + 50 + random.nextInt(TASKS_PER_KILL / 2));
      int victim = random.nextInt(WORKERS);
      workers.get(victim).kill();
      workers.set(victim, worker());
      assertThat(store.reader().drift()).isEmpty();
    }
    awaitFinished(tasks);
  }

  /** Takes tasks and gives them back at once: so nobody keeps a slot, and all fight for each. */
  private static Void compete(PostgresStore store, AtomicBoolean over) {
    Claimer claimer = Claimer.open(store, "competitor", LimitedWork.handled());
    while (!over.get()) {
      claimer.endAll(claimer.claim(2), new Outcome.Released());
      claimer.heartbeat();
    }
    claimer.leave();
    return null;
  }

  private void assertNothingIsLost() {
    assertThat(Sql.query(url, "select state || ' ' || count(*) from berth.tasks group by state"))
        .containsExactly("FINISHED " + tasks);
    assertThat(Sql.query(url, "select 1 from berth.attempts where outcome = 'crashed' limit 1"))
        .as("some of them ran when they were killed")
        .hasSize(1);
  }

  /** By the history, and by what the tasks saw of each other. */
  private void assertNoLimitWasExceeded(Berth berth) {
    List<LimitAudit> audit = berth.reader().audit(AuditFilter.ALL);
    assertThat(audit).hasSize(LimitedWork.LIMITS).noneMatch(LimitAudit::over);
    int full = 0;
    for (int limit = 0; limit < LimitedWork.LIMITS; limit++) {
      String most = "select max(used) from public.seen where number = " + limit;
      int seen = Integer.parseInt(Sql.query(url, most).getFirst());
      assertThat(seen)
          .as("slots of %s in use at once", LimitedWork.key(limit))
          .isBetween(1, LimitedWork.slots(limit));
      full += seen == LimitedWork.slots(limit) ? 1 : 0;
    }
    assertThat(full).as("limits that were full at some time").isGreaterThan(10);
  }

  private WorkerProcess worker() {
    Map<String, String> settings = new HashMap<>();
    settings.put("BERTH_LEASE_MS", "3000");
    settings.put("BERTH_HEARTBEAT_INTERVAL_MS", "500");
    settings.put("BERTH_MAX_CONCURRENT_TASKS", "40");
    return WorkerProcess.start(url, settings, "limits");
  }

  private void awaitFinished(int count) {
    await()
        .atMost(PATIENCE)
        .pollInterval(Duration.ofMillis(50))
        .until(() ->
            Long.parseLong(
                    Sql.query(url, "select count(*) from berth.tasks where state = 'FINISHED'")
                        .getFirst())
                >= count);
  }
}
