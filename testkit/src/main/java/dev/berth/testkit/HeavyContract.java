package dev.berth.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.limit.Limit;
import dev.berth.limit.Need;
import dev.berth.store.Claim;
import dev.berth.store.Ended;
import dev.berth.store.Held;
import dev.berth.task.TaskId;
import dev.berth.task.TaskState;
import dev.berth.view.Explanation;
import dev.berth.view.Obstacle;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tasks that need several slots at once start although others want each slot that is free. */
abstract class HeavyContract extends LimitTest {

  private static final String HEAVY = "train";
  private static final Limit DISK = Limit.of("disk", 4);
  private static final Duration RUN = Duration.ofMillis(100);

  /** One second of patience, the time for all to end, and as much again. */
  private static final int ROUNDS = 40;

  @ParameterizedTest
  @ValueSource(ints = {2, 4})
  void aHeavyTaskStartsThoughLightOnesKeepThePoolBusy(int weight) {
    Busy busy = new Busy(claimer(Draft.TYPE, HEAVY), claimer(Draft.TYPE, HEAVY));
    busy.start();
    TaskId heavy = submit(Draft.task().type(HEAVY).under(gpu(4), weight)).id();

    assertThat(busy.roundsUntil(heavy)).isLessThan(ROUNDS);
  }

  /** Also if another worker than those that keep the pool busy is the only one that knows it. */
  @Test
  void aHeavyTaskStartsOnAWorkerThatWaitsForItAlone() {
    Busy busy = new Busy(claimer(), claimer());
    busy.start();
    TaskId heavy = submit(Draft.task().type(HEAVY).under(gpu(4), 3)).id();
    busy.join(claimer(HEAVY));

    assertThat(busy.roundsUntil(heavy)).isLessThan(ROUNDS);
  }

  @Test
  void aTaskThatHasToLeaveTheSlotsToAHeavyOneIsExplained() {
    Busy busy = new Busy(claimer(Draft.TYPE, HEAVY), claimer(Draft.TYPE, HEAVY));
    busy.start();
    TaskId heavy = submit(Draft.task().type(HEAVY).under(gpu(4), 4)).id();
    TaskId light = submit(Draft.task().under(gpu(4))).id();
    Obstacle reserved = new Obstacle.Reserved(GPU);
    assertThat(obstacles(light)).doesNotContain(reserved);

    int rounds = 0;
    while (!obstacles(light).contains(reserved)) {
      assertThat(state(heavy)).isEqualTo(TaskState.PENDING);
      assertThat(rounds++).isLessThan(ROUNDS);
      busy.round();
    }

    assertThat(obstacles(heavy)).doesNotContain(reserved);
    busy.roundsUntil(heavy);
    assertThat(obstacles(light)).doesNotContain(reserved);
  }

  private List<Obstacle> obstacles(TaskId id) {
    return ((Explanation.Waiting) reader.explain(id).orElseThrow()).obstacles();
  }

  @Test
  void lightTasksGoOnBetweenHeavyOnes() {
    Busy busy = new Busy(claimer(Draft.TYPE, HEAVY), claimer(Draft.TYPE, HEAVY));
    busy.start();
    submitLike(Draft.task().type(HEAVY).under(gpu(4), 4), 50);

    Map<String, Integer> starts = new HashMap<>();
    for (int round = 0; round < 100; round++) {
      busy.round().forEach(claim -> starts.merge(claim.type(), 1, Integer::sum));
    }

    assertThat(starts.getOrDefault(HEAVY, 0)).isGreaterThanOrEqualTo(3);
    assertThat(starts.getOrDefault(Draft.TYPE, 0)).isGreaterThanOrEqualTo(20);
  }

  @Test
  void aHeavyTaskThatIsCancelledKeepsNobodyWaiting() {
    Busy busy = new Busy(claimer(Draft.TYPE, HEAVY), claimer(Draft.TYPE, HEAVY));
    busy.start();
    TaskId heavy = submit(Draft.task().type(HEAVY).under(gpu(4), 4)).id();
    for (int round = 0; round < 12; round++) { // its time has come
      busy.round();
    }
    cancel(heavy);

    int started = 0;
    for (int round = 0; round < ROUNDS; round++) {
      started += busy.round().size();
    }

    assertThat(started).isPositive();
    assertThat(limit(GPU).used()).isEqualTo(4);
  }

  /** It waits until the limit is raised, and must not make others wait for that. */
  @Test
  void aTaskHeavierThanItsLimitKeepsNobodyWaiting() {
    submit(Draft.task().type(HEAVY).under(gpu(4), 5));
    Busy busy = new Busy(claimer(Draft.TYPE, HEAVY), claimer(Draft.TYPE, HEAVY));
    busy.start();

    for (int round = 0; round < ROUNDS; round++) {
      busy.round();
      assertThat(used(GPU)).isGreaterThanOrEqualTo(3);
    }
  }

  @Test
  void aHeavyTaskThatHasToWaitForAnotherLimitKeepsNobodyWaiting() {
    Limit one = Limit.of("one", 1);
    submit(Draft.task().type("other").under(one));
    claimAll(claimer("other"), 1);
    submit(Draft.task().type(HEAVY).under(gpu(4), 4).under(one));
    Busy busy = new Busy(claimer(Draft.TYPE, HEAVY), claimer(Draft.TYPE, HEAVY));
    busy.start();

    int started = 0;
    for (int round = 0; round < ROUNDS; round++) {
      started += busy.round().size();
    }

    assertThat(started).isGreaterThanOrEqualTo(ROUNDS * 3 / 2); // two a round, but for turns
  }

  @Test
  void twoHeavyTasksWithTheSameLimitsTheOtherWayRoundBothStart() {
    Busy busy = new Busy(claimer(Draft.TYPE, HEAVY), claimer(Draft.TYPE, HEAVY));
    submitLike(Draft.task().under(DISK), 1_000);
    busy.start();
    TaskId one = submit(Draft.task().type(HEAVY).under(gpu(4), 3).under(DISK, 2)).id();
    TaskId other = submit(Draft.task().type(HEAVY).under(gpu(4), 2).under(DISK, 3)).id();

    assertThat(busy.roundsUntil(one) + busy.roundsUntil(other)).isLessThan(3 * ROUNDS);
  }

  @Test
  void aHeavyHoldIsTakenThoughTasksKeepThePoolBusy() {
    Busy busy = new Busy(claimer(), claimer());
    busy.start();
    Claimer holder = claimer("nothing");
    int round = 0;
    while (store.hold(holder.id(), ++round, new Need(GPU, 3, 4)) instanceof Held.NoSlot) {
      assertThat(round).isLessThan(ROUNDS);
      busy.round();
      holder.heartbeat();
    }
  }

  /** Claimers with two light tasks each, of which they end one in each round and ask for one. */
  private final class Busy {
    private final Map<Claimer, Deque<Claim>> running = new HashMap<>();
    private final List<Claimer> claimers;

    Busy(Claimer... claimers) {
      this.claimers = new ArrayList<>(List.of(claimers));
      this.claimers.forEach(claimer -> running.put(claimer, new ArrayDeque<>()));
    }

    void join(Claimer claimer) {
      claimers.add(claimer);
      running.put(claimer, new ArrayDeque<>());
    }

    void start() {
      submitLike(Draft.task().under(gpu(4)), 1_000);
      claimers.forEach(claimer ->
          running.computeIfAbsent(claimer, any -> new ArrayDeque<>()).addAll(claimAll(claimer, 2)));
      assertThat(running.values()).allMatch(held -> held.size() == 2);
    }

    /** What started. */
    List<Claim> round() {
      List<Claim> started = new ArrayList<>();
      for (Claimer claimer : claimers) {
        Deque<Claim> held = running.getOrDefault(claimer, new ArrayDeque<>());
        List<Ended> ended =
            held.isEmpty() ? List.of() : List.of(new Ended(held.removeFirst().lease(), FINISHED));
        List<Claim> claims = Claimer.done(claimer.exchange(ended, 2 - held.size())).claims();
        held.addAll(claims);
        started.addAll(claims);
        claimer.heartbeat();
      }
      fixture.advance(RUN);
      return started;
    }

    int roundsUntil(TaskId starts) {
      int rounds = 0;
      while (rounds < 3 * ROUNDS && state(starts) == TaskState.PENDING) {
        round();
        rounds++;
      }
      return rounds;
    }
  }
}
