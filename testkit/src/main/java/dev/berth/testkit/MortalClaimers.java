package dev.berth.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.store.Claim;
import dev.berth.store.Ended;
import dev.berth.store.Exchanged;
import dev.berth.store.SessionRequest.Handled;
import dev.berth.store.Store;
import dev.berth.task.Outcome;
import dev.berth.task.Retention;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantReadWriteLock;

/**
 * Claimers on many threads that finish what they claim, and now and then die with it in their
 * hands: the session of one expires while the others renew theirs. Time stands still during a call,
 * so that the times in the history can be compared.
 */
final class MortalClaimers {

  private static final int CLAIMERS = 16;
  private static final int MORTALITY = 25; // one call in so many, and the first who holds something
  private static final int MOST_CRASHES = 1_000;
  private static final Duration PART_OF_LEASE = Claimer.LEASE.multipliedBy(2).dividedBy(3);

  private final StoreFixture fixture;
  private final Store store;
  private final Set<Claimer> alive = ConcurrentHashMap.newKeySet();
  private final ReentrantReadWriteLock time = new ReentrantReadWriteLock();
  private final AtomicInteger left = new AtomicInteger();
  private final AtomicInteger killed = new AtomicInteger();

  MortalClaimers(StoreFixture fixture) {
    this.fixture = fixture;
    this.store = fixture.store();
  }

  /** Finishes so many tasks; returns how many claimers died. */
  int finish(int tasks) throws Exception {
    left.set(tasks);
    long seed = Seeds.random("mortal claimers").nextLong();
    Together.run(
        CLAIMERS,
        number -> {
          Random random = new Random(seed + number);
          Claimer claimer = open();
          List<Claim> held = List.of();
          while (left.get() > 0 && !Thread.currentThread().isInterrupted()) {
            List<Ended> ended =
                held.stream()
                    .map(claim -> new Ended(claim.lease(), new Outcome.Finished(null)))
                    .toList();
            if (!held.isEmpty() && (killed.get() == 0 || random.nextInt(MORTALITY) == 0)) {
              kill(claimer, ended);
              claimer = open();
              held = List.of();
            } else {
              Exchanged.Done done = exchange(claimer, ended, 1 + random.nextInt(5));
              assertThat(done.stale()).isEmpty();
              left.addAndGet(-ended.size());
              held = done.claims();
            }
          }
          return number;
        });
    return killed.get();
  }

  private Claimer open() {
    time.readLock().lock();
    try {
      Claimer claimer =
          Claimer.open(
              store, "worker", List.of(new Handled(Draft.TYPE, Retention.DEFAULT, MOST_CRASHES)));
      alive.add(claimer);
      return claimer;
    } finally {
      time.readLock().unlock();
    }
  }

  private Exchanged.Done exchange(Claimer claimer, List<Ended> ended, int claims) {
    time.readLock().lock();
    try {
      return Claimer.done(claimer.exchange(ended, claims));
    } finally {
      time.readLock().unlock();
    }
  }

  /** Lets one session expire; what it hands in afterwards counts for nothing. */
  private void kill(Claimer dying, List<Ended> ended) {
    time.writeLock().lock();
    try {
      alive.remove(dying);
      for (int i = 0; i < 2; i++) {
        fixture.advance(PART_OF_LEASE);
        alive.forEach(Claimer::heartbeat);
      }
      store.sweep();
      assertThat(dying.exchange(ended, 1)).isInstanceOf(Exchanged.SessionLost.class);
      dying.leave(); // gives back its connections
      killed.incrementAndGet();
    } finally {
      time.writeLock().unlock();
    }
  }
}
