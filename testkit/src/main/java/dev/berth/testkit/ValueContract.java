package dev.berth.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.limit.Limit;
import dev.berth.limit.Slots;
import dev.berth.store.Claim;
import dev.berth.store.Command;
import dev.berth.store.SessionRequest;
import dev.berth.task.LimitRule;
import dev.berth.task.Outcome;
import dev.berth.task.TaskId;
import dev.berth.task.TaskState;
import dev.berth.task.TaskType;
import dev.berth.value.Durations;
import dev.berth.view.SessionView;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Text from handlers and people, and times at their ends: the same in every store. */
abstract class ValueContract extends LimitTest {

  private static final String HOSTILE = "a\0b\ud83dc \u001b[2J \u202e\n\ud83d\udea2 \udea2";
  private static final String KEPT = "a\uFFFDb\uFFFDc \u001b[2J \u202e\n\ud83d\udea2 \uFFFD";

  @Test
  void errorsAreKeptButForWhatNoStoreCanKeep() {
    TaskId retried = submitAndEnd(new Outcome.Retrying(HOSTILE, Duration.ofHours(1)));
    TaskId failed = submitAndEnd(new Outcome.Failed(HOSTILE));

    assertThat(List.of(view(retried), view(failed)))
        .allSatisfy(task -> assertThat(task.error()).isEqualTo(KEPT));
    assertThat(reader.attempts(failed))
        .allSatisfy(attempt -> assertThat(attempt.error()).isEqualTo(KEPT));
  }

  @Test
  void soIsProgress() {
    submitOne();
    Claimer claimer = claimer();
    Claim claim = claimer.claimOne();
    claimer.heartbeat(Map.of(claim.lease(), HOSTILE));

    assertThat(view(claim.lease().task()).report().progress()).isEqualTo(KEPT);
  }

  @Test
  void soAreReasons() {
    TaskId id = submitOne();
    store.apply(new Command.Cancel(id, HOSTILE));
    submit(Draft.task().step("order", "pack"));
    store.apply(new Command.CancelWorkflow("order", HOSTILE));

    assertThat(view(id).error()).isEqualTo(KEPT);
    assertThat(reader.workflow("order").orElseThrow().steps())
        .allSatisfy(step -> assertThat(step.error()).isEqualTo(KEPT));
  }

  @Test
  void reasonsAreCut() {
    String much = "\ud83d\udea2".repeat(20_000);
    TaskId failed = submitAndEnd(new Outcome.Failed(much));
    TaskId retried = submitAndEnd(new Outcome.Retrying(much, Duration.ofHours(1)));
    TaskId cancelled = submitOne();
    store.apply(new Command.Cancel(cancelled, much));
    submit(Draft.task().step("order", "pack"));
    store.apply(new Command.CancelWorkflow("order", much));
    submitOne();
    Claimer claimer = claimer();
    Claim running = claimer.claimOne();
    claimer.heartbeat(Map.of(running.lease(), much));

    assertThat(List.of(failed, retried, cancelled))
        .allSatisfy(
            id -> assertThat(view(id).error()).hasSizeBetween(10_000, 16_000).endsWith("…"));
    assertThat(reader.workflow("order").orElseThrow().steps())
        .allSatisfy(step -> assertThat(step.error()).hasSizeBetween(10_000, 16_000));
    assertThat(view(running.lease().task()).report().progress()).hasSizeBetween(10_000, 16_000);
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void whatIsPutOffForTheLongestTimeDoesNotStart(boolean failed) {
    submitOne();
    Claimer claimer = claimer();
    Claim claim = claimer.claimOne();
    claimer.end(
        claim,
        failed
            ? new Outcome.Retrying("no", Durations.LONGEST)
            : new Outcome.Released(Durations.LONGEST));
    pass(Duration.ofSeconds(1));

    assertThat(claimer.claim(10)).isEmpty();
    assertThat(state(claim.lease().task()))
        .isEqualTo(failed ? TaskState.RETRYING : TaskState.PENDING);
    assertThat(store.sweep().nextDue()).isNotNull().isGreaterThan(Duration.ofDays(300_000));
  }

  @Test
  void theLongestPaceStartsOneTask() {
    Limit slow = Limit.of("slow", 5).pace(Slots.LONGEST_PACE);
    submitLike(Draft.task().under(slow), 2);
    Claimer claimer = claimerSaying(new LimitRule(slow.key(), 5, Slots.LONGEST_PACE));

    assertThat(claimAll(claimer, 2)).hasSize(1);
    pass(Duration.ofSeconds(1));
    claimer.heartbeat();
    assertThat(claimAll(claimer, 2)).isEmpty();
  }

  @Test
  void aNumberMayCountForTheLongestTime() {
    set(GPU, 3);
    store.apply(new Command.SetLimit(GPU, 2, Durations.LONGEST));
    pass(Duration.ofSeconds(1));

    assertThat(limit(GPU).slots()).isEqualTo(2);
  }

  @Test
  void aSessionMayLiveForTheLongestTime() {
    store.open(
        new SessionRequest(
            "patient", List.of(), List.of(TaskType.DEFAULT_QUEUE), Durations.LONGEST, 1));
    pass(Duration.ofDays(1));

    assertThat(reader.sessions()).extracting(SessionView::worker).containsExactly("patient");
  }
}
