package dev.berth.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.store.Claim;
import dev.berth.store.Command;
import dev.berth.task.Outcome;
import dev.berth.task.TaskId;
import dev.berth.task.TaskState;
import dev.berth.view.TaskView;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Claiming: in order, only what is handled, each task once. */
abstract class ClaimContract extends ContractTest {

  @Test
  void aClaimCarriesTheTask() {
    Draft draft = Draft.task().priority(3).payload("{\"to\":\"ada\"}");
    submit(draft);

    Claim claim = claimer().claimOne();

    assertThat(claim.lease().task()).isEqualTo(draft.id());
    assertThat(claim.type()).isEqualTo(Draft.TYPE);
    assertThat(claim.queue()).isEqualTo("default");
    assertThat(claim.priority()).isEqualTo(3);
    assertThat(claim.payload()).isEqualTo("{\"to\":\"ada\"}");
    assertThat(claim.attempt()).isEqualTo(1);
    assertThat(claim.failures()).isZero();
    assertThat(claim.crashes()).isZero();
    assertThat(claim.submittedAt()).isEqualTo(view(draft.id()).times().submitted());
  }

  @Test
  void aClaimedTaskRuns() {
    TaskId id = submitOne();
    Claimer.open(store, "worker-7", Draft.TYPE).claimOne();

    TaskView task = view(id);

    assertThat(task.state()).isEqualTo(TaskState.RUNNING);
    assertThat(task.report().worker()).isEqualTo("worker-7");
    assertThat(task.times().started()).isNotNull();
    assertThat(task.counts().attempt()).isEqualTo(1);
  }

  @Test
  void aTaskIsClaimedOnce() {
    submitOne();
    Claimer first = claimer();
    first.claimOne();

    assertThat(first.claim(10)).isEmpty();
    assertThat(claimer().claim(10)).isEmpty();
  }

  @Test
  void noMoreIsClaimedThanAskedFor() {
    submitMany(5);
    Claimer claimer = claimer();

    assertThat(claimer.claim(0)).isEmpty();
    assertThat(claimer.claim(2)).hasSize(2);
    assertThat(claimer.claim(10)).hasSize(3);
  }

  @Test
  void earlierSubmittedComesFirst() {
    List<TaskId> ids = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      // Ids that do not sort by time: the time decides.
      ids.add(submit(Draft.task().ownId(TaskId.named("mail", "order-" + i))).id());
      fixture.advance(Duration.ofSeconds(1));
    }

    assertThat(claimer().claimIds(10)).isEqualTo(ids);
  }

  @Test
  void oneBatchIsClaimedInItsOrder() {
    List<TaskId> ids = submitMany(100);
    Claimer claimer = claimer();

    List<TaskId> claimed = new ArrayList<>(claimer.claimIds(30));
    claimed.addAll(claimer.claimIds(100));

    assertThat(claimed).isEqualTo(ids);
  }

  @Test
  void higherPriorityComesFirst() {
    List<TaskId> ids =
        submitAll(
            Draft.task().priority(5),
            Draft.task().priority(0),
            Draft.task().priority(9),
            Draft.task().priority(5),
            Draft.task().priority(7));

    assertThat(claimer().claimIds(10))
        .containsExactly(ids.get(2), ids.get(4), ids.get(0), ids.get(3), ids.get(1));
  }

  @Test
  void laterWorkOfHigherPriorityOvertakes() {
    submitMany(10);
    Claimer claimer = claimer();
    claimer.claim(5);
    fixture.advance(Duration.ofSeconds(10));
    TaskId urgent = submit(Draft.task().priority(9)).id();

    assertThat(claimer.claimIds(2)).startsWith(urgent);
  }

  @Test
  void typesOfOneQueueShareItsOrder() {
    List<TaskId> ids =
        submitAll(
            Draft.task().type("print"),
            Draft.task().type("mail"),
            Draft.task().type("print"),
            Draft.task().type("mail"));

    assertThat(claimer("mail", "print").claimIds(10)).isEqualTo(ids);
  }

  @Test
  void queuesAreReadInTheOrderOfTheRequest() {
    List<TaskId> ids =
        submitAll(
            Draft.task().queue("a").priority(9),
            Draft.task().queue("b").priority(0),
            Draft.task().queue("c"),
            Draft.task().queue("b").priority(9));

    assertThat(claimer().claimIds(10, "b", "a"))
        .containsExactly(ids.get(3), ids.get(1), ids.get(0));
    assertThat(state(ids.get(2))).isEqualTo(TaskState.PENDING);
  }

  @Test
  void nothingIsClaimedFromNoQueueOrAnUnknownOne() {
    submitOne();

    assertThat(claimer().claim(10, "elsewhere")).isEmpty();
  }

  @Test
  void typesThatAreNotHandledStayForOthers() {
    TaskId foreign = submit(Draft.task().type("print").priority(9)).id();
    TaskId own = submitOne();

    assertThat(claimer().claimIds(10)).containsExactly(own);

    assertThat(state(foreign)).isEqualTo(TaskState.PENDING);
    assertThat(claimer("print").claimIds(10)).containsExactly(foreign);
  }

  @Test
  void workBehindManyTasksOfOtherTypesIsFound() {
    submitAll(
        Stream.iterate(0, i -> i + 1)
            .limit(3_000)
            .map(i -> Draft.task().type("foreign-" + i % 7))
            .toArray(Draft[]::new));
    fixture.advance(Duration.ofSeconds(1));
    List<TaskId> own = submitMany(5);
    fixture.advance(Duration.ofSeconds(1));
    submitAll(Stream.generate(() -> Draft.task().type("print")).limit(5).toArray(Draft[]::new));

    assertThat(claimer().claimIds(100)).isEqualTo(own);
    assertThat(claimer("mail", "print").claim(100)).hasSize(5);
  }

  @Test
  void aSessionWithoutTypesClaimsNothing() {
    submitOne();

    assertThat(Claimer.open(store, "idle").claim(10)).isEmpty();
  }

  @Test
  void aPausedQueueIsSkippedUntilItIsResumed() {
    TaskId paused = submit(Draft.task().queue("a")).id();
    TaskId other = submit(Draft.task().queue("b")).id();
    store.apply(new Command.PauseQueue("a"));
    Claimer claimer = claimer();

    assertThat(claimer.claimIds(10, "a", "b")).containsExactly(other);

    store.apply(new Command.ResumeQueue("a"));
    assertThat(claimer.claimIds(10, "a", "b")).containsExactly(paused);
  }

  @Test
  void tokensGrowFromClaimToClaim() {
    submitOne();
    Claimer first = claimer();
    Claim earlier = first.claimOne();
    first.end(earlier, RELEASED);

    Claim later = claimer().claimOne();

    assertThat(later.lease().token()).isGreaterThan(earlier.lease().token());
  }

  @Test
  void tokensAreUniqueToAClaim() {
    submitMany(50);

    assertThat(claimer().claim(50))
        .extracting(claim -> claim.lease().token())
        .doesNotHaveDuplicates();
  }

  @Test
  void tasksThatComeBackAreSeenByASessionThatWasPastThem() {
    submitMany(20);
    Claimer other = claimer();
    List<Claim> early = other.claim(4);
    Claimer claimer = claimer();
    claimer.endAll(claimer.claim(6), FINISHED);
    TaskId later = submit(Draft.task().delay(Duration.ofSeconds(5))).id();
    fixture.advance(Duration.ofSeconds(10));
    claimer.endAll(claimer.claim(10), FINISHED);
    assertThat(claimer.claim(10)).isEmpty();

    other.end(early.get(0), RELEASED);
    other.end(early.get(1), new Outcome.Retrying("busy", Duration.ZERO));
    other.end(early.get(2), new Outcome.Retrying("busy", Duration.ofSeconds(1)));
    claimer.heartbeat();
    pass(Duration.ofSeconds(25));

    // The session of the other worker is over as well: its fourth task comes back.
    assertThat(claimer.claimIds(10))
        .containsExactlyInAnyOrder(
            early.get(0).lease().task(),
            early.get(1).lease().task(),
            early.get(2).lease().task(),
            early.get(3).lease().task(),
            later);
  }

  @Test
  void manyClaimersTakeEachTaskOnce() throws Exception {
    List<TaskId> ids = submitMany(2_000);

    List<List<TaskId>> shares =
        Together.run(
            8,
            number -> {
              Claimer claimer = Claimer.open(store, "worker-" + number, Draft.TYPE);
              List<TaskId> share = new ArrayList<>();
              // Claimers may get in each other's way, so a single empty answer is not the end.
              for (int empty = 0; empty < 3; ) {
                List<Claim> claims = claimer.claim(1 + share.size() % 30);
                claims.forEach(claim -> share.add(claim.lease().task()));
                empty = claims.isEmpty() ? empty + 1 : 0;
                claimer.endAll(claims, FINISHED);
              }
              return share;
            });

    assertThat(shares.stream().flatMap(List::stream)).containsExactlyInAnyOrderElementsOf(ids);
    assertThat(ids).allSatisfy(id -> assertThat(reader.attempts(id)).hasSize(1));
  }
}
