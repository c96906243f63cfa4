package dev.berth.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.limit.Limit;
import dev.berth.limit.LimitKey;
import dev.berth.store.Claim;
import dev.berth.store.Ended;
import dev.berth.task.Outcome;
import dev.berth.task.TaskId;
import dev.berth.task.TaskState;
import dev.berth.view.AuditFilter;
import dev.berth.view.LimitView;
import dev.berth.view.TaskFilter;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Limits hold while many claim at once, and through random calls. */
@Tag("race")
abstract class LimitRaceContract extends LimitTest {

  private static final int CLAIMERS = 8;
  private static final int TASKS = 300;
  private static final int STEPS = 250;
  private static final int STARTS = Integer.getInteger("berth.race-starts", 200);

  @ParameterizedTest
  @ValueSource(ints = {1, 5, 51})
  @Timeout(value = 1, unit = TimeUnit.MINUTES)
  void claimersNeverRunMoreThanTheLimitTogether(int slots) throws Exception {
    submitLike(Draft.task().under(gpu(slots)), TASKS);

    finishAll(slots);
  }

  @Test
  @Timeout(value = 1, unit = TimeUnit.MINUTES)
  void claimersNeverRunMoreThanTheSmallestOfSeveralLimitsTogether() throws Exception {
    Limit wide = Limit.of("wide", 40);
    submitLike(Draft.task().under(wide).under(gpu(3)), TASKS / 2);
    submitLike(Draft.task().under(gpu(3)).under(MAIL, 2), TASKS / 2);

    finishAll(3);
    assertThat(used(wide.key())).isZero();
    assertThat(used(MAIL)).isZero();
  }

  @Test
  @Timeout(value = 1, unit = TimeUnit.MINUTES)
  void heavyAndLightTasksNeverTakeMoreThanTheLimitTogether() throws Exception {
    submitLike(Draft.task().under(gpu(5), 2), TASKS / 3);
    submitLike(Draft.task().under(gpu(5)), TASKS * 2 / 3);

    finishAll(5);
  }

  /** What they end goes back to the queue, so that there is always more to claim. */
  @Test
  @Timeout(value = 1, unit = TimeUnit.MINUTES)
  void aLimitSetTo0StopsAllClaimers() throws Exception {
    submitLike(Draft.task().under(gpu(5)), TASKS);
    AtomicInteger started = new AtomicInteger();
    AtomicBoolean closing = new AtomicBoolean();
    AtomicBoolean closed = new AtomicBoolean();
    Together.run(
        2 * CLAIMERS,
        number -> {
          Claimer claimer = claimer();
          List<Claim> running = List.of();
          boolean after = false;
          while (!after && !Thread.currentThread().isInterrupted()) {
            if (!running.isEmpty()) { // apart, so that all compete for each slot
              claimer.endAll(running, RELEASED);
            }
            after = closed.get();
            running = Claimer.done(claimer.exchange(List.of(), 3)).claims();
            boolean enough = started.addAndGet(running.size()) > TASKS;
            if (enough && closing.compareAndSet(false, true)) {
              set(GPU, 0);
              closed.set(true);
            }
          }
          assertThat(running).as("started after the limit was set to 0").isEmpty();
          return number;
        });

    assertThat(reader.drift()).isEmpty();
    assertThat(used(GPU)).isZero();
    assertThat(reader.list(TaskFilter.ALL.state(TaskState.PENDING).most(2 * TASKS)))
        .as("there was more to claim")
        .hasSize(TASKS);
  }

  /**
   * Until so many tasks have started. A slot goes back in an exchange that takes none: else it
   * would pass to the next task of the same claimer, and nobody would compete for it.
   */
  @Test
  @Timeout(value = 8, unit = TimeUnit.MINUTES)
  void sixteenClaimersNeverRunTwoUnderALimitOf1() throws Exception {
    submitLike(Draft.task().under(gpu(1)), TASKS);
    List<Claimer> claimers = Stream.generate(this::claimer).limit(16).toList();
    AtomicInteger inHand = new AtomicInteger();
    AtomicInteger started = new AtomicInteger();
    Together.run(
        claimers.size(),
        number -> {
          Claimer claimer = claimers.get(number);
          for (int round = 0; started.get() < STARTS; round++) {
            List<Claim> running = Claimer.done(claimer.exchange(List.of(), 2)).claims();
            assertThat(inHand.addAndGet(running.size())).isLessThanOrEqualTo(1);
            started.addAndGet(running.size());
            if (round % 20 == number) { // now and then, for the others need the time
              claimer.heartbeat();
              assertUsedIsHeld(reader.limits());
              assertThat(reader.drift()).isEmpty();
            }
            inHand.addAndGet(-running.size());
            if (!running.isEmpty()) {
              claimer.endAll(running, RELEASED);
            }
          }
          return number;
        });

    assertThat(used(GPU)).isZero();
    assertThat(reader.audit(AuditFilter.ALL))
        .singleElement()
        .matches(audit -> audit.peak() == 1 && !audit.over(), "a peak of 1");
  }

  /** The last number is obeyed once the limit has drained, whatever was in force before. */
  @Test
  @Timeout(value = 1, unit = TimeUnit.MINUTES)
  void aLimitThatGoesUpAndDownIsNotExceededOnceItHasDrained() throws Exception {
    submitLike(Draft.task().under(gpu(5)), TASKS);
    AtomicBoolean over = new AtomicBoolean();
    Together.run(
        CLAIMERS,
        number -> {
          Claimer claimer = claimer();
          List<Claim> running = List.of();
          while (number > 0 && !over.get() && !Thread.currentThread().isInterrupted()) {
            running = Claimer.done(claimer.exchange(all(running, RELEASED), 12)).claims();
          }
          for (int slots : number > 0 ? new int[0] : new int[] {60, 5, 9, 3, 51, 7, 1, 5}) {
            set(GPU, slots);
            while (used(GPU, reader.limits()) > slots && !Thread.currentThread().isInterrupted()) {
              Thread.onSpinWait();
            }
            for (int sample = 0; sample < 20; sample++) {
              assertThat(used(GPU, reader.limits())).isLessThanOrEqualTo(slots);
            }
          }
          over.set(over.get() || number == 0);
          return claimer.endAll(running, RELEASED);
        });

    assertThat(used(GPU)).isZero();
    assertThat(reader.drift()).isEmpty();
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("dev.berth.testkit.RandomContract#seeds")
  void limitsHoldThroughRandomCalls(long seed) {
    new LimitRun(fixture, seed).run(STEPS);
  }

  /**
   * Runs all tasks with claimers that hand in and ask at once. What they have in their hands, less
   * than what the store counts as running, never exceeds the slots; nor does what the store counts.
   */
  private void finishAll(int slots) throws Exception {
    AtomicInteger finished = new AtomicInteger();
    AtomicInteger inHand = new AtomicInteger();
    Set<TaskId> started = ConcurrentHashMap.newKeySet();
    Together.run(
        CLAIMERS,
        number -> {
          Claimer claimer = claimer();
          List<Claim> running = List.of();
          while (finished.get() < TASKS && !Thread.currentThread().isInterrupted()) {
            inHand.addAndGet(-running.size());
            finished.addAndGet(running.size());
            running = Claimer.done(claimer.exchange(ended(running), 1 + number % 3)).claims();
            assertThat(inHand.addAndGet(running.size())).isLessThanOrEqualTo(slots);
            running.forEach(claim -> assertThat(started.add(claim.lease().task())).isTrue());
            assertThat(reader.limits())
                .filteredOn(limit -> limit.key().equals(GPU))
                .extracting(LimitView::used)
                .allMatch(used -> used <= slots, "at most " + slots);
          }
          return claimer.endAll(running, FINISHED);
        });

    assertThat(started).hasSize(TASKS);
    assertThat(used(GPU)).isZero();
    assertThat(reader.list(TaskFilter.ALL.most(2 * TASKS)))
        .hasSize(TASKS)
        .allMatch(task -> task.state() == TaskState.FINISHED);
  }

  /** Both are read at one moment. */
  private static void assertUsedIsHeld(List<LimitView> limits) {
    for (LimitView limit : limits) {
      assertThat(limit.used()).isLessThanOrEqualTo(limit.slots()).isEqualTo(limit.holders().size());
    }
  }

  private static List<Ended> ended(List<Claim> claims) {
    return all(claims, FINISHED);
  }

  private static List<Ended> all(List<Claim> claims, Outcome outcome) {
    return claims.stream().map(claim -> new Ended(claim.lease(), outcome)).toList();
  }

  private static int used(LimitKey key, List<LimitView> limits) {
    return limits.stream().filter(limit -> limit.key().equals(key)).mapToInt(LimitView::used).sum();
  }
}
