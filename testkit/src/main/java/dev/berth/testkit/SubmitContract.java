package dev.berth.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.berth.store.Claim;
import dev.berth.store.Submission;
import dev.berth.store.Submitted;
import dev.berth.task.Counts;
import dev.berth.task.TaskId;
import dev.berth.task.TaskState;
import dev.berth.view.TaskFilter;
import dev.berth.view.TaskView;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Submitting: durable, idempotent, all or nothing. */
abstract class SubmitContract extends ContractTest {

  @Test
  void aTaskIsAcceptedAndShownAsItWasSubmitted() {
    Draft draft = Draft.task().queue("letters").priority(7).payload("{\"to\":\"ada\"}");

    assertThat(submit(draft)).isEqualTo(new Submitted.Accepted(draft.id()));

    TaskView task = view(draft.id());
    assertThat(task.type()).isEqualTo(Draft.TYPE);
    assertThat(task.queue()).isEqualTo("letters");
    assertThat(task.place().priority()).isEqualTo(7);
    assertThat(task.payload()).isEqualTo("{\"to\":\"ada\"}");
    assertThat(task.state()).isEqualTo(TaskState.PENDING);
    assertThat(task.times().submitted()).isCloseTo(fixture.now(), within(1, ChronoUnit.MINUTES));
    assertThat(task.times().due())
        .isCloseTo(task.times().submitted(), within(1, ChronoUnit.SECONDS));
    assertThat(task.counts()).isEqualTo(new Counts(0, 0, 0));
    assertThat(task.times().started()).isNull();
    assertThat(task.times().ended()).isNull();
    assertThat(task.report().worker()).isNull();
  }

  @Test
  void aBatchIsAnsweredInItsOrder() {
    Draft known = Draft.task();
    submit(known);
    Draft first = Draft.task();
    Draft last = Draft.task();

    List<Submitted> answers =
        store.submit(List.of(first.submission(), known.submission(), last.submission()));

    assertThat(answers)
        .containsExactly(
            new Submitted.Accepted(first.id()),
            new Submitted.Existing(known.id()),
            new Submitted.Accepted(last.id()));
  }

  @Test
  void anEmptyBatchIsAnsweredWithNothing() {
    assertThat(store.submit(List.of())).isEmpty();
  }

  @Test
  void aRepeatedSubmitIsOneTask() {
    Draft draft = Draft.task().payload("1");
    submit(draft);

    assertThat(submit(draft.metadata(Map.of("trace", "2"))))
        .isEqualTo(new Submitted.Existing(draft.id()));

    assertThat(view(draft.id()).input().metadata()).isEmpty();
    assertThat(claimer().claim(10)).hasSize(1);
  }

  @Test
  void aRepeatedSubmitOfARunningTaskIsOneTask() {
    Draft draft = Draft.task();
    submit(draft);
    Claimer claimer = claimer();
    claimer.claimOne();

    assertThat(submit(draft)).isInstanceOf(Submitted.Existing.class);
    assertThat(claimer.claim(10)).isEmpty();
  }

  @Test
  void anOwnIdStaysKnownAfterTheTaskFinished() {
    Draft draft = Draft.task().ownId(TaskId.named("mail", "order-42"));
    submit(draft);
    Claimer claimer = claimer();
    claimer.end(claimer.claimOne(), FINISHED);

    assertThat(submit(draft)).isEqualTo(new Submitted.Existing(draft.id()));

    assertThat(claimer.claim(10)).isEmpty();
    assertThat(state(draft.id())).isEqualTo(TaskState.FINISHED);
  }

  @Test
  void anOwnIdStaysKnownAfterTheTaskFailedOrWasCancelled() {
    Draft failing = Draft.task().ownId(TaskId.named("mail", "order-1"));
    submit(failing);
    Claimer claimer = claimer();
    claimer.end(claimer.claimOne(), FAILED);
    Draft cancelled = Draft.task().ownId(TaskId.named("mail", "order-2"));
    submit(cancelled);
    cancel(cancelled.id());

    assertThat(store.submit(List.of(failing.submission(), cancelled.submission())))
        .hasOnlyElementsOfType(Submitted.Existing.class);
    assertThat(claimer.claim(10)).isEmpty();
  }

  @Test
  void anIdTwiceInOneBatchIsOneTask() {
    Draft draft = Draft.task().ownId(TaskId.named("mail", "order-42"));

    assertThat(store.submit(List.of(draft.submission(), draft.submission())))
        .containsExactly(new Submitted.Accepted(draft.id()), new Submitted.Existing(draft.id()));

    assertThat(claimer().claim(10)).hasSize(1);
  }

  @Test
  void anIdSubmittedByManyAtOnceIsOneTask() throws Exception {
    Draft draft = Draft.task().ownId(TaskId.named("mail", "order-42"));

    List<Submitted> answers = Together.run(8, number -> submit(draft));

    assertThat(answers).filteredOn(Submitted.Accepted.class::isInstance).hasSize(1);
    assertThat(answers).filteredOn(Submitted.Existing.class::isInstance).hasSize(7);
    assertThat(claimer().claim(10)).hasSize(1);
  }

  @Test
  void aBatchThatCannotBeStoredStoresNothing() {
    Submission good = Draft.task().submission();

    assertThatThrownBy(() -> store.submit(Arrays.asList(good, null)))
        .isInstanceOf(RuntimeException.class);

    assertThat(reader.find(good.id())).isEmpty();
    assertThat(reader.list(TaskFilter.ALL)).isEmpty();
  }

  @Test
  void payloadAndMetadataComeBackAsTheyWere() {
    String payload = "{\"b\": 1.0,  \"a\":\"žluťoučký 🚢 \\u0000 \\\" \\\\ '\", \"b\":[]}";
    Map<String, String> metadata =
        Map.of(
            "trace id",
            "a=b,c;d\"e\"\\",
            "",
            "",
            "名前",
            "エイダ 🚢",
            "line",
            "1\n2\t3",
            "null",
            "NULL");
    Draft draft = Draft.task().payload(payload).metadata(metadata);
    submit(draft);

    Claim claim = claimer().claimOne();

    assertThat(claim.payload()).isEqualTo(payload);
    assertThat(claim.metadata()).isEqualTo(metadata);
    assertThat(view(draft.id()).payload()).isEqualTo(payload);
    assertThat(view(draft.id()).input().metadata()).isEqualTo(metadata);
  }

  @Test
  void namesMayHoldAnyReadableCharacter() {
    String name = "čísla/50% 'q\" \\ {1,2} 🚢";
    Draft draft = Draft.task().type(name).queue(name);
    submit(draft);

    assertThat(claimer(name).claimIds(10, name)).containsExactly(draft.id());
    assertThat(reader.list(TaskFilter.ALL.type(name).queue(name))).hasSize(1);
  }

  @Test
  void aPayloadOfAMegabyteIsFine() {
    String payload = "\"" + "0123456789abcdef".repeat(65_535) + "\"";
    Draft draft = Draft.task().payload(payload);
    submit(draft);
    Claimer claimer = claimer();

    Claim claim = claimer.claimOne();
    claimer.end(claim, FINISHED);

    assertThat(claim.payload()).isEqualTo(payload);
    assertThat(view(draft.id()).payload()).isEqualTo(payload);
  }

  @Test
  void aBatchOfThousandsIsFine() {
    List<TaskId> ids = submitMany(5_000);

    assertThat(claimer().claimIds(6_000)).isEqualTo(ids);
  }
}
