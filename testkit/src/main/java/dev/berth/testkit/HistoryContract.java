package dev.berth.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.store.Applied;
import dev.berth.store.Claim;
import dev.berth.store.SessionRequest.Handled;
import dev.berth.store.Submitted;
import dev.berth.task.Outcome;
import dev.berth.task.Retention;
import dev.berth.task.TaskId;
import dev.berth.task.TaskState;
import dev.berth.view.AttemptView;
import dev.berth.view.AttemptView.Ending;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** History: every attempt, for as long as its type says. */
abstract class HistoryContract extends ContractTest {

  @Test
  void attemptsAreKeptInTheirOrder() {
    TaskId id = submitOne();
    Claimer first = Claimer.open(store, "first", Draft.TYPE);
    Claim released = first.claimOne();
    first.end(released, RELEASED);
    fixture.advance(Duration.ofSeconds(1));
    Claim retried = first.claimOne();
    fixture.advance(Duration.ofSeconds(5));
    first.end(retried, new Outcome.Retrying("busy", Duration.ZERO));
    pass(Duration.ofSeconds(1));
    Claim crashed = first.claimOne();
    pass(LEASE_OVER);
    Claimer second = Claimer.open(store, "second", Draft.TYPE);
    Claim finished = second.claimOne();
    fixture.advance(Duration.ofSeconds(1));
    second.end(finished, FINISHED);

    List<AttemptView> attempts = reader.attempts(id);

    assertThat(attempts)
        .extracting(AttemptView::ending)
        .containsExactly(Ending.RELEASED, Ending.RETRYING, Ending.CRASHED, Ending.FINISHED);
    assertThat(attempts).extracting(AttemptView::attempt).containsExactly(1, 1, 2, 3);
    assertThat(attempts)
        .extracting(AttemptView::token)
        .containsExactly(
            released.lease().token(),
            retried.lease().token(),
            crashed.lease().token(),
            finished.lease().token());
    assertThat(attempts)
        .extracting(AttemptView::worker)
        .containsExactly("first", "first", "first", "second");
    AttemptView busy = attempts.get(1);
    assertThat(busy.error()).isEqualTo("busy");
    assertThat(Duration.between(busy.startedAt(), busy.endedAt()))
        .isBetween(Duration.ofSeconds(5), Duration.ofSeconds(65));
    assertThat(attempts.get(2).error()).isNotBlank();
    assertThat(attempts.get(3).error()).isNull();
  }

  @Test
  void theAttemptsOfALiveTaskAreShown() {
    TaskId id = submitAndEnd(new Outcome.Retrying("busy", Duration.ofHours(1)));

    assertThat(endings(id)).containsExactly(Ending.RETRYING);
    assertThat(reader.attempts(id).getFirst().error()).isEqualTo("busy");
  }

  @Test
  void aTypeThatKeepsNothingLeavesNoTrace() {
    List<TaskId> ids = submitMany(3);
    Claimer claimer = keeping(Retention.NONE);
    List<Claim> claims = claimer.claim(3);
    claimer.end(claims.get(0), FINISHED);
    claimer.end(claims.get(1), FAILED);
    claimer.end(claims.get(2), new Outcome.Cancelled("not wanted"));

    assertThat(ids)
        .allSatisfy(id -> {
          assertThat(reader.find(id)).isEmpty();
          assertThat(reader.attempts(id)).isEmpty();
          assertThat(retry(id)).isEqualTo(Applied.NOT_FOUND);
        });
  }

  @Test
  void finishedAndFailedTasksMayBeKeptDifferently() {
    List<TaskId> ids = submitMany(2);
    Claimer claimer = keeping(Retention.days(0, 5));
    List<Claim> claims = claimer.claim(2);
    claimer.end(claims.get(0), FINISHED);
    claimer.end(claims.get(1), FAILED);

    assertThat(reader.find(ids.get(0))).isEmpty();
    assertThat(state(ids.get(1))).isEqualTo(TaskState.FAILED);
  }

  @Test
  void anOwnIdIsFreeAgainWhenNothingIsKept() {
    Draft draft = Draft.task().ownId(TaskId.named("mail", "order-42"));
    submit(draft);
    Claimer claimer = keeping(Retention.NONE);
    claimer.end(claimer.claimOne(), FINISHED);

    assertThat(submit(draft)).isEqualTo(new Submitted.Accepted(draft.id()));
    assertThat(claimer.claim(10)).hasSize(1);
  }

  @Test
  void theNewestWordOnATypeCounts() {
    keeping(Retention.DEFAULT);
    Claimer claimer = claimer();
    keeping(Retention.NONE);
    TaskId id = submitOne();

    claimer.end(claimer.claimOne(), FINISHED);

    assertThat(reader.find(id)).isEmpty();
  }

  @Test
  void aSweepPrunesWhatWasKeptLongEnough() {
    List<TaskId> ids = submitMany(3);
    Claimer claimer = keeping(Retention.days(2, 10));
    List<Claim> claims = claimer.claim(2);
    claimer.end(claims.get(0), FINISHED);
    claimer.end(claims.get(1), FAILED);

    pass(Duration.ofDays(2).minusMinutes(10));
    assertThat(ids).allSatisfy(id -> assertThat(reader.find(id)).isPresent());
    // A store may keep whole days together, so a day more is fine.
    pass(Duration.ofDays(1).plusHours(1));
    assertThat(reader.find(ids.get(0))).isEmpty();
    assertThat(reader.attempts(ids.get(0))).isEmpty();
    assertThat(state(ids.get(1))).isEqualTo(TaskState.FAILED);
    assertThat(endings(ids.get(1))).containsExactly(Ending.FAILED);
    pass(Duration.ofDays(8));
    assertThat(reader.find(ids.get(1))).isEmpty();
    assertThat(state(ids.get(2))).isEqualTo(TaskState.PENDING);
  }

  @Test
  void aTaskThatIsAliveAgainIsNotPruned() {
    TaskId id = submitOne();
    Claimer claimer = keeping(Retention.days(2, 2));
    claimer.end(claimer.claimOne(), FAILED);
    retry(id);

    pass(Duration.ofDays(5));

    assertThat(state(id)).isEqualTo(TaskState.PENDING);
    assertThat(claimer().claimIds(10)).containsExactly(id);
  }

  @Test
  void aTaskThatEndedAgainIsKeptFromThen() {
    TaskId id = submitOne();
    Claimer first = keeping(Retention.days(2, 2));
    first.end(first.claimOne(), FAILED);
    pass(Duration.ofDays(2).minusHours(1));
    retry(id);
    Claimer second = keeping(Retention.days(2, 2));
    second.end(second.claimOne(), FAILED);

    pass(Duration.ofDays(2).minusHours(1));
    assertThat(state(id)).isEqualTo(TaskState.FAILED);
    pass(Duration.ofDays(1).plusHours(2));
    assertThat(reader.find(id)).isEmpty();
  }

  private Claimer keeping(Retention retention) {
    return Claimer.open(store, "worker", List.of(new Handled(Draft.TYPE, retention, 5)));
  }
}
