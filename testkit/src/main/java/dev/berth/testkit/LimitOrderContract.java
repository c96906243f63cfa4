package dev.berth.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.limit.Limit;
import dev.berth.limit.LimitKey;
import dev.berth.store.Claim;
import dev.berth.store.Command;
import dev.berth.store.Ended;
import dev.berth.task.TaskId;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

/** Order among limited tasks: priority, then fair among lanes; a full limit blocks nobody else. */
abstract class LimitOrderContract extends LimitTest {

  /** Enough for a fair share to show, even where turns last for several starts. */
  private static final int STARTS = 400;

  private static final double FAIR = 0.4;

  /** How long each task of the fairness tests runs. */
  private static final Duration RUN = Duration.ofMillis(25);

  @Test
  void aFullLimitDoesNotBlockOtherWork() {
    submitLike(Draft.task().under(gpu(1)), 1_000);
    fixture.advance(Duration.ofSeconds(1));
    submitLike(Draft.task().under(Limit.of("api", 2)), 3);
    List<TaskId> open = submitMany(3);
    Claimer claimer = claimer();

    List<Claim> claims = claimAll(claimer, 100);

    assertThat(claims).hasSize(1 + 2 + 3);
    assertThat(ids(claims)).containsAll(open);
  }

  @Test
  void aPausedLimitDoesNotBlockOtherWork() {
    submitLike(Draft.task().priority(9).under(gpu(5)), 100);
    store.apply(new Command.PauseLimit(GPU));
    submitLike(Draft.task().under(Limit.of("api", 2)), 3);
    submitMany(3);

    assertThat(claimAll(claimer(), 100)).hasSize(2 + 3);
  }

  @Test
  void aFullPoolDoesNotBlockLanesThatAreNotUnderIt() {
    for (int user = 0; user < 100; user++) {
      LimitKey key = LimitKey.ofTypePer(Draft.TYPE, "user", "" + user);
      submit(Draft.task().under(gpu(0)).under(key, 1));
      submit(Draft.task().under(key, 1));
    }

    assertThat(claimAll(claimer(), 1_000)).hasSize(100);
  }

  @Test
  void aLaneBlockedByItsKeyDoesNotBlockOtherKeysOfThePool() {
    LimitKey ada = LimitKey.ofTypePer(Draft.TYPE, "user", "ada");
    LimitKey bob = LimitKey.ofTypePer(Draft.TYPE, "user", "bob");
    submitLike(Draft.task().under(gpu(5)).under(ada, 1), 50);
    submitLike(Draft.task().under(gpu(5)).under(bob, 1), 50);
    store.apply(new Command.SetLimit(bob, 2));

    assertThat(claimAll(claimer(), 100)).hasSize(3);
    assertThat(used(GPU)).isEqualTo(3);
  }

  @Test
  void aQueueThatIsNotAskedForGivesNothing() {
    submitLike(Draft.task().queue("letters").under(gpu(1)), 2);
    Claimer claimer = claimer();

    assertThat(claimAll(claimer, 10)).isEmpty();
    assertThat(claimer.claim(10, "letters")).hasSize(1);
  }

  @Test
  void aPausedQueueTakesNoSlots() {
    submitLike(Draft.task().queue("letters").under(gpu(1)), 2);
    submitLike(Draft.task().under(gpu(1)), 2);
    store.apply(new Command.PauseQueue("letters"));
    Claimer claimer = claimer();

    assertThat(claimer.claim(10, "letters")).isEmpty();
    assertThat(claimAll(claimer, 10)).hasSize(1);
  }

  @Test
  void aTypeThatIsNotHandledTakesNoSlots() {
    submitLike(Draft.task().type("train").under(gpu(1)), 5);
    submitLike(Draft.task().under(gpu(1)), 5);

    List<Claim> claims = claimAll(claimer(), 10);

    assertThat(claims).hasSize(1);
    assertThat(claims.getFirst().type()).isEqualTo(Draft.TYPE);
  }

  @Test
  void earlierComesFirstInALane() {
    List<TaskId> ids = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      ids.add(submit(Draft.task().ownId(TaskId.named("mail", "order-" + i)).under(gpu(2))).id());
      fixture.advance(Duration.ofSeconds(1));
    }
    Claimer claimer = claimer();

    List<TaskId> order = new ArrayList<>();
    List<Claim> running = claimAll(claimer, 1);
    while (!running.isEmpty()) {
      order.addAll(ids(running));
      running = endAndClaim(claimer, running, 1);
    }

    assertThat(order).isEqualTo(ids);
  }

  @Test
  void higherPriorityComesFirstAmongLanes() {
    Draft low = Draft.task().under(gpu(1)).under(MAIL, 9);
    Draft high = Draft.task().type("print").priority(8).under(gpu(1));
    submitLike(low, 3);
    fixture.advance(Duration.ofSeconds(1));
    submitLike(high, 3);
    Claimer claimer = claimer(Draft.TYPE, "print");

    List<Integer> priorities = new ArrayList<>();
    List<Claim> running = claimAll(claimer, 1);
    while (!running.isEmpty()) {
      priorities.add(running.getFirst().priority());
      running = endAndClaim(claimer, running, 1);
    }

    assertThat(priorities).containsExactly(8, 8, 8, 5, 5, 5);
  }

  @Test
  void aTaskBelowAFullLimitTakesItsSlotsOnce() {
    Limit free = Limit.of("pool", 5);
    submitLike(Draft.task().priority(9).under(gpu(1)), 2);
    claimAll(claimer(), 1);
    Claimer claimer = claimer();
    submitLike(Draft.task().priority(9).under(Limit.of("audio", 1)), 1);
    claimAll(claimer, 1);
    submitLike(Draft.task().under(free), 1);

    assertThat(claimAll(claimer, 10)).hasSize(1);
    assertThat(used(free.key())).isEqualTo(1);
  }

  @Test
  void higherPriorityComesFirstAcrossOpenAndLimited() {
    submitMany(2);
    submitLike(Draft.task().priority(7).under(gpu(9)), 2);
    submitLike(Draft.task().priority(9), 2);
    Claimer claimer = claimer();

    assertThat(claimAll(claimer, 2)).extracting(Claim::priority).containsExactly(9, 9);
    assertThat(claimAll(claimer, 2)).extracting(Claim::priority).containsExactly(7, 7);
    assertThat(claimAll(claimer, 2)).extracting(Claim::priority).containsExactly(5, 5);
  }

  @Test
  void laterOpenWorkDoesNotStarveALane() {
    submitLike(Draft.task().under(gpu(1)), 1);
    fixture.advance(Duration.ofSeconds(1));
    submitMany(300);
    Claimer claimer = claimer();

    List<TaskId> claimed = new ArrayList<>();
    for (int exchange = 0; exchange < 10; exchange++) {
      claimed.addAll(claimer.claimIds(10));
    }

    assertThat(claimed).hasSize(100);
    assertThat(used(GPU)).isEqualTo(1);
  }

  @Test
  void laterLimitedWorkDoesNotStarveOpenWork() {
    TaskId open = submitOne();
    fixture.advance(Duration.ofSeconds(1));
    submitLike(Draft.task().under(gpu(900)), 300);
    Claimer claimer = claimer();

    List<TaskId> claimed = new ArrayList<>();
    for (int exchange = 0; exchange < 10; exchange++) {
      claimed.addAll(claimer.claimIds(10));
    }

    assertThat(claimed).contains(open);
  }

  @Test
  void twoLanesShareAPoolOf1Fairly() {
    submitBoth();

    assertFair(oneByOne(claimer("train", "render"), Claim::type), "train", "render");
  }

  @Test
  void twoLanesOfATypeShareItsLimitFairly() {
    LimitKey type = LimitKey.ofType(Draft.TYPE);
    submitLike(Draft.task().under(type, 1).payload("\"alone\""), 2 * STARTS);
    submitLike(Draft.task().under(type, 1).under(gpu(9)).payload("\"pool\""), 2 * STARTS);

    assertFair(oneByOne(claimer(), Claim::payload), "\"alone\"", "\"pool\"");
  }

  @Test
  void whoeverSharesALimitGetsItsPart() {
    submitLike(Draft.task().under(gpu(10)), 8 * STARTS);
    List<Claimer> claimers = List.of(claimer(), claimer(), claimer(), claimer());

    Map<Claimer, List<Claim>> running = new HashMap<>();
    Map<Claimer, Integer> starts = new HashMap<>();
    for (int round = 0; round < 60; round++) {
      for (Claimer claimer : claimers) {
        List<Claim> ended = running.getOrDefault(claimer, List.of());
        running.put(claimer, handInAndClaim(claimer, ended, 10));
        starts.merge(claimer, running.get(claimer).size(), Integer::sum);
      }
      assertThat(running.values().stream().mapToInt(List::size).sum()).isLessThanOrEqualTo(10);
      fixture.advance(RUN);
      claimers.forEach(Claimer::heartbeat);
    }

    int all = starts.values().stream().mapToInt(Integer::intValue).sum();
    assertThat(all).isGreaterThanOrEqualTo(40 * 10);
    assertThat(starts.values()).allMatch(count -> 8 * count >= all, "half a fair share");
  }

  @Test
  void twoWorkersOfDifferentTypesShareAPoolOf1Fairly() {
    submitBoth();

    assertFair(
        starts(Map.of("train", claimer("train"), "render", claimer("render"))), "train", "render");
  }

  @Test
  void twoWorkersShareALaneFairly() {
    submitLike(Draft.task().under(gpu(1)), 2 * STARTS);

    assertFair(starts(Map.of("first", claimer(), "second", claimer())), "first", "second");
  }

  @Test
  void everyLaneOfAPoolHasItsTurn() {
    for (int user = 0; user < 10; user++) {
      LimitKey key = LimitKey.ofTypePer(Draft.TYPE, "user", "" + user);
      submitLike(Draft.task().under(gpu(1)).under(key, 5).payload("\"" + user + "\""), STARTS);
    }

    Map<String, Integer> starts = oneByOne(claimer(), Claim::payload);

    assertThat(starts).hasSize(10);
    assertThat(starts.values())
        .allMatch(count -> count >= STARTS / 10 / 3, "a third of a fair share");
  }

  @Test
  void aWorkerThatDoesNotComeBackKeepsNobodyWaiting() {
    submitLike(Draft.task().under(gpu(1)), 50);
    Claimer busy = claimer();
    List<Claim> running = claimAll(busy, 1);
    assertThat(claimer().claim(1)).isEmpty();

    for (int i = 0; i < 49; i++) {
      running = endAndClaim(busy, running, 1);
      assertThat(running).hasSize(1);
    }
  }

  private void submitBoth() {
    LimitKey train = LimitKey.ofType("train");
    LimitKey render = LimitKey.ofType("render");
    submitLike(Draft.task().type("train").under(gpu(1)).under(train, 9), 2 * STARTS);
    submitLike(Draft.task().type("render").under(gpu(1)).under(render, 9), 2 * STARTS);
  }

  /** Starts by what tells the lanes apart, where one task runs after the other. */
  private Map<String, Integer> oneByOne(Claimer claimer, Function<Claim, String> lane) {
    Map<String, Integer> starts = new HashMap<>();
    List<Claim> running = claimAll(claimer, 1);
    for (int i = 0; i < STARTS; i++) {
      assertThat(running).hasSize(1);
      starts.merge(lane.apply(running.getFirst()), 1, Integer::sum);
      fixture.advance(RUN);
      running = endAndClaim(claimer, running, 1);
    }
    return starts;
  }

  /** Lets the claimers exchange in turn: each hands in what it has and asks for one task. */
  private Map<String, Integer> starts(Map<String, Claimer> claimers) {
    Map<String, Integer> starts = new HashMap<>();
    Map<String, List<Claim>> running = new HashMap<>();
    for (int round = 0; round < 20 * STARTS && sum(starts) < STARTS; round++) {
      claimers.forEach((name, claimer) -> {
        List<Claim> claims = handInAndClaim(claimer, running.getOrDefault(name, List.of()), 1);
        running.put(name, claims);
        starts.merge(name, claims.size(), Integer::sum);
        assertThat(running.values().stream().mapToInt(List::size).sum()).isLessThanOrEqualTo(1);
      });
      fixture.advance(RUN);
      claimers.values().forEach(Claimer::heartbeat);
    }
    return starts;
  }

  /** In one exchange. */
  private static List<Claim> handInAndClaim(Claimer claimer, List<Claim> running, int claims) {
    List<Ended> ended = running.stream().map(claim -> new Ended(claim.lease(), FINISHED)).toList();
    return Claimer.done(claimer.exchange(ended, claims)).claims();
  }

  private static void assertFair(Map<String, Integer> starts, String... names) {
    assertThat(sum(starts)).as("starts").isGreaterThanOrEqualTo(STARTS);
    for (String name : names) {
      assertThat(starts.getOrDefault(name, 0))
          .as("starts of %s in %s", name, starts)
          .isGreaterThanOrEqualTo((int) (FAIR * sum(starts)));
    }
  }

  private static int sum(Map<String, Integer> counts) {
    return counts.values().stream().mapToInt(Integer::intValue).sum();
  }
}
