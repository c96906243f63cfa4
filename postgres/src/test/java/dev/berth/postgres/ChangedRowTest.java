package dev.berth.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.limit.Limit;
import dev.berth.store.Claim;
import dev.berth.store.Ended;
import dev.berth.task.Outcome;
import dev.berth.testkit.Claimer;
import dev.berth.testkit.Draft;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Rows change between the snapshot of a claim and its locks. A lock then returns a version that the
 * same statement could not update: a slot would be taken for a task that does not start.
 */
@Timeout(60)
class ChangedRowTest {

  private static final int TASKS = 400;
  private static final int CLAIMERS = 3;

  private final PostgresFixture fixture = PostgresFixture.on(Servers.NEWEST);
  private final PostgresStore store = fixture.store();
  private final AtomicInteger finished = new AtomicInteger();

  @AfterEach
  void close() {
    fixture.close();
  }

  @Test
  void noSlotIsTakenForATaskThatDoesNotStart() throws Exception {
    store.submit(
        Stream.generate(() -> Draft.task().under(Limit.of("gpu", 120)).submission())
            .limit(TASKS)
            .toList());
    try (ExecutorService threads = Executors.newFixedThreadPool(CLAIMERS)) {
      List<Future<?>> claimers = new ArrayList<>();
      for (int i = 0; i < CLAIMERS; i++) {
        claimers.add(threads.submit(this::finishAll));
      }
      int changes = 0;
      while (finished.get() < TASKS && claimers.stream().noneMatch(Future::isDone)) {
        // Each version has a place of its own. A plain update would wait for claimers while it
        // keeps locks on what they run, and end in a deadlock.
        Sql.run(
            fixture.database().url(),
            """
            update berth_private.task set progress = '%d' where ctid = any (array(
              select ctid from berth_private.task where state = 'ready' for update skip locked))\
            """
                .formatted(changes++));
        assertThat(store.reader().drift()).isEmpty();
      }
      for (Future<?> claimer : claimers) {
        claimer.get();
      }
    }

    assertThat(store.reader().drift()).isEmpty();
    assertThat(fixture.database().query("select 1 from berth_private.slot_group where used > 0"))
        .isEmpty();
  }

  private void finishAll() {
    Claimer claimer = Claimer.open(store, "worker", Draft.TYPE);
    List<Claim> running = List.of();
    while (finished.get() < TASKS) {
      List<Ended> ended =
          running.stream().map(c -> new Ended(c.lease(), new Outcome.Finished(null))).toList();
      int before = running.size();
      running = Claimer.done(claimer.exchange(ended, 7)).claims();
      finished.addAndGet(before);
    }
  }
}
