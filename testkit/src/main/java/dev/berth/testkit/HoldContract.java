package dev.berth.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.berth.limit.LimitKey;
import dev.berth.limit.Need;
import dev.berth.store.Claim;
import dev.berth.store.Command;
import dev.berth.store.Ended;
import dev.berth.store.Held;
import dev.berth.task.LimitRule;
import dev.berth.task.TaskId;
import dev.berth.view.Explanation;
import dev.berth.view.LimitView.Holder;
import dev.berth.view.Obstacle.NoRoom;
import dev.berth.view.SessionView;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Slots without a task: the same slots, taken, given back and lost in the same way. */
abstract class HoldContract extends LimitTest {

  private static final Held NO_SLOT = new Held.NoSlot();
  private static final Held SESSION_LOST = new Held.SessionLost();

  @AfterEach
  void nothingHasDrifted() {
    assertThat(reader.drift()).isEmpty();
  }

  @Test
  void aLimitOfOneIsExclusive() {
    Claimer one = claimer();
    Claimer other = claimer();
    long first = held(one, 1, gpuSlots(1));

    assertThat(hold(other, 1, gpuSlots(1))).isEqualTo(NO_SLOT);
    assertThat(hold(one, 2, gpuSlots(1))).isEqualTo(NO_SLOT);

    assertThat(store.release(one.id(), 1)).isTrue();
    assertThat(used(GPU)).isZero();
    assertThat(held(other, 1, gpuSlots(1))).isGreaterThan(first);
    assertThat(used(GPU)).isEqualTo(1);
  }

  @Test
  void holdsAndTasksShareTheSlots() {
    submitLike(Draft.task().under(gpu(2)), 2);
    Claimer worker = claimer();
    Claimer holder = claimer();
    held(holder, 1, gpuSlots(2));

    List<Claim> running = claimAll(worker, 5);

    assertThat(running).hasSize(1);
    assertThat(hold(holder, 2, gpuSlots(2))).isEqualTo(NO_SLOT);
    store.release(holder.id(), 1);
    assertThat(claimAll(worker, 5)).hasSize(1);
    assertThat(used(GPU)).isEqualTo(2);
  }

  @Test
  void theTokenIsHigherThanThatOfATaskBeforeAndLowerThanThatOfOneAfter() {
    submitLike(Draft.task().under(gpu(1)), 2);
    Claimer worker = claimer();
    Claim before = worker.claimOne();
    worker.end(before, FINISHED);

    long token = held(claimer(), 1, gpuSlots(1));

    assertThat(token).isGreaterThan(before.lease().token());
    SessionView holder = reader.sessions().getLast();
    assertThat(store.release(holder.id(), 1)).isTrue();
    assertThat(claimAll(worker, 1).getFirst().lease().token()).isGreaterThan(token);
  }

  @Test
  void aHeavyHoldTakesAllOrNothing() {
    Claimer claimer = claimer();
    held(claimer, 1, new Need(GPU, 2, 5));
    held(claimer, 2, new Need(GPU, 2, 5));

    assertThat(hold(claimer, 3, new Need(GPU, 2, 5))).isEqualTo(NO_SLOT);

    assertThat(used(GPU)).isEqualTo(4);
    held(claimer, 4, gpuSlots(5));
    assertThat(used(GPU)).isEqualTo(5);
    store.release(claimer.id(), 1);
    assertThat(used(GPU)).isEqualTo(3);
  }

  @Test
  void aHoldOverManySlotGroupsIsExact() {
    Claimer claimer = claimer();
    held(claimer, 1, new Need(GPU, 960, 961));

    assertThat(hold(claimer, 2, new Need(GPU, 2, 961))).isEqualTo(NO_SLOT);
    held(claimer, 3, new Need(GPU, 1, 961));

    assertThat(used(GPU)).isEqualTo(961);
  }

  @Test
  void aRepeatTakesNothingMore() {
    Claimer claimer = claimer();
    long token = held(claimer, 1, gpuSlots(2));

    assertThat(held(claimer, 1, gpuSlots(2))).isEqualTo(token);

    assertThat(used(GPU)).isEqualTo(1);
  }

  @Test
  void aStaleReleaseChangesNothing() {
    Claimer one = claimer();
    Claimer other = claimer();
    held(one, 1, gpuSlots(1));
    store.release(one.id(), 1);
    held(other, 1, gpuSlots(1));

    assertThat(store.release(one.id(), 1)).isFalse();
    assertThat(store.release(one.id(), 2)).isFalse();

    assertThat(used(GPU)).isEqualTo(1);
    assertThat(hold(one, 3, gpuSlots(1))).isEqualTo(NO_SLOT);
  }

  @Test
  void aDeadHolderLosesItsSlots() {
    Claimer dead = claimer();
    held(dead, 1, new Need(GPU, 2, 3));
    held(dead, 2, new Need(MAIL, 1, 1));
    pass(LEASE_OVER);

    assertThat(used(GPU)).isZero();
    assertThat(used(MAIL)).isZero();
    assertThat(store.release(dead.id(), 1)).isFalse();
    assertThat(hold(dead, 3, gpuSlots(3))).isEqualTo(SESSION_LOST);
    held(claimer(), 1, new Need(GPU, 3, 3));
    assertThat(store.release(dead.id(), 1)).isFalse();
    assertThat(used(GPU)).isEqualTo(3);
  }

  @Test
  void aHolderThatIsHeardOfKeepsItsSlots() {
    Claimer holder = claimer();
    held(holder, 1, gpuSlots(1));
    for (int beat = 0; beat < 3; beat++) {
      pass(Claimer.LEASE.dividedBy(2));
      assertThat(holder.heartbeat().alive()).isTrue();
    }

    assertThat(used(GPU)).isEqualTo(1);
    assertThat(store.release(holder.id(), 1)).isTrue();
  }

  @Test
  void aHolderThatLeavesGivesBack() {
    Claimer holder = claimer();
    held(holder, 1, gpuSlots(1));
    held(holder, 2, new Need(LimitKey.ofTypePer("load", "user", "ada"), 1, 1));

    holder.leave();

    assertThat(used(GPU)).isZero();
    held(claimer(), 1, gpuSlots(1));
  }

  @Test
  void aPausedLimitRefuses() {
    Claimer claimer = claimer();
    held(claimer, 1, gpuSlots(2));
    store.apply(new Command.PauseLimit(GPU));
    assertThat(hold(claimer, 2, gpuSlots(2))).isEqualTo(NO_SLOT);

    store.apply(new Command.ResumeLimit(GPU));
    held(claimer, 3, gpuSlots(2));
  }

  @Test
  void aLimitWithoutSlotsRefuses() {
    Claimer claimer = claimer();
    set(GPU, 0);
    assertThat(hold(claimer, 1, gpuSlots(2))).isEqualTo(NO_SLOT);

    reset(GPU);
    held(claimer, 2, gpuSlots(2));
    assertThat(limit(GPU).slots()).isEqualTo(2);
  }

  @Test
  void aLoweredLimitDrains() {
    Claimer claimer = claimer();
    for (int number = 1; number <= 3; number++) {
      held(claimer, number, gpuSlots(3));
    }
    set(GPU, 1);

    store.release(claimer.id(), 1);
    store.release(claimer.id(), 2);
    assertThat(hold(claimer, 4, gpuSlots(3))).isEqualTo(NO_SLOT);
    store.release(claimer.id(), 3);

    held(claimer, 5, gpuSlots(3));
    assertThat(hold(claimer, 6, gpuSlots(3))).isEqualTo(NO_SLOT);
  }

  @Test
  void theNumberOfTheFirstWhoNamesALimitCounts() {
    Claimer claimer = claimer();
    held(claimer, 1, gpuSlots(1));
    submitLike(Draft.task().under(gpu(9)), 3);

    assertThat(claimAll(claimer, 5)).isEmpty();

    assertThat(limit(GPU).slots()).isEqualTo(1);
  }

  @Test
  void aKeyOfManyIsHeldByItself() {
    LimitKey ada = LimitKey.ofTypePer(Draft.TYPE, "user", "ada");
    LimitKey bob = LimitKey.ofTypePer(Draft.TYPE, "user", "bob");
    Claimer claimer = claimer();
    held(claimer, 1, new Need(ada, 1, 1));
    submitAll(Draft.task().under(ada, 1), Draft.task().under(bob, 1));

    assertThat(hold(claimer, 2, new Need(ada, 1, 1))).isEqualTo(NO_SLOT);
    assertThat(hold(claimer, 3, new Need(bob, 2, 1))).isEqualTo(NO_SLOT);
    assertThat(claimAll(claimer, 5)).hasSize(1);

    store.release(claimer.id(), 1);
    assertThat(claimAll(claimer, 5)).hasSize(1);
  }

  @Test
  void aHoldCountsAgainWhenItsLimitIsBack() {
    LimitRule rule = new LimitRule(MAIL, 1);
    claimerSaying(rule);
    Claimer holder = Claimer.open(store, "holder");
    held(holder, 1, new Need(MAIL, 1, 1));
    claimerSaying(); // the type has lost its limit
    held(holder, 2, new Need(MAIL, 1, 1));

    claimerSaying(rule);

    assertThat(used(MAIL)).isEqualTo(2);
    store.release(holder.id(), 1);
    assertThat(hold(holder, 3, new Need(MAIL, 1, 1))).isEqualTo(NO_SLOT);
    store.release(holder.id(), 2);
    held(holder, 4, new Need(MAIL, 1, 1));
  }

  @Test
  void theViewNamesTheHolder() {
    Claimer holder = Claimer.open(store, "nightly-report");
    long token = held(holder, 1, new Need(GPU, 2, 4));
    Instant expiresAt = reader.sessions().getFirst().expiresAt();

    assertThat(limit(GPU).holders())
        .extracting(
            Holder::task,
            Holder::type,
            Holder::token,
            Holder::worker,
            Holder::expiresAt,
            Holder::weight)
        .containsExactly(tuple(null, null, token, "nightly-report", expiresAt, 2));
  }

  @Test
  void aTaskThatWaitsForAHoldIsExplained() {
    long token = held(Claimer.open(store, "nightly-report"), 1, gpuSlots(1));
    claimer();
    TaskId id = submit(Draft.task().under(gpu(1))).id();

    NoRoom full = noRoom(id);

    assertThat(full.used()).isEqualTo(1);
    assertThat(full.holders())
        .extracting(Holder::task, Holder::token, Holder::worker)
        .containsExactly(tuple(null, token, "nightly-report"));
  }

  @Test
  void aBusyWorkerLeavesASlotToWhoeverWaitsForOne() {
    submitLike(Draft.task().under(gpu(1)), 50);
    Claimer worker = claimer();
    Claimer holder = claimer();
    List<Claim> running = claimAll(worker, 1);
    boolean got = false;
    for (int turn = 0; turn < 40 && !got; turn++) {
      got = hold(holder, turn, gpuSlots(1)) instanceof Held.Done;
      fixture.advance(Duration.ofMillis(60));
      running = got ? running : nextOf(worker, running);
    }

    assertThat(got).as("the holder got the slot in 40 turns of the worker").isTrue();
  }

  @Test
  void manyAtOnceNeverHoldMoreThanThereIs() throws Exception {
    AtomicInteger inside = new AtomicInteger();
    AtomicInteger most = new AtomicInteger();
    List<Claimer> claimers = List.of(claimer(), claimer(), claimer(), claimer());
    Together.run(
        8,
        thread -> {
          Claimer claimer = claimers.get(thread / 2); // two threads share a session
          for (int turn = 0; turn < 25; turn++) {
            long number = thread * 1_000L + turn;
            if (hold(claimer, number, gpuSlots(2)) instanceof Held.Done) {
              most.accumulateAndGet(inside.incrementAndGet(), Math::max);
              inside.decrementAndGet();
              assertThat(store.release(claimer.id(), number)).isTrue();
            }
          }
          return thread;
        });

    assertThat(most.get()).isBetween(1, 2);
    assertThat(used(GPU)).isZero();
  }

  /** Ends what runs and claims one in the same exchange. */
  private static List<Claim> nextOf(Claimer worker, List<Claim> running) {
    return Claimer.done(
            worker.exchange(
                running.stream().map(claim -> new Ended(claim.lease(), FINISHED)).toList(), 1))
        .claims();
  }

  private NoRoom noRoom(TaskId id) {
    return reader.explain(id).stream()
        .map(Explanation.Waiting.class::cast)
        .flatMap(waiting -> waiting.obstacles().stream())
        .filter(NoRoom.class::isInstance)
        .map(NoRoom.class::cast)
        .findFirst()
        .orElseThrow(() -> new AssertionError("Task " + id + " has room"));
  }

  /** One slot of a limit that shall have so many. */
  private static Need gpuSlots(int slots) {
    return new Need(GPU, 1, slots);
  }

  private Held hold(Claimer claimer, long number, Need need) {
    return store.hold(claimer.id(), number, need);
  }

  /** Takes slots that must be free, and returns the token. */
  private long held(Claimer claimer, long number, Need need) {
    Held answer = hold(claimer, number, need);
    assertThat(answer).as("hold %d of %s", number, need).isInstanceOf(Held.Done.class);
    return ((Held.Done) answer).token();
  }
}
