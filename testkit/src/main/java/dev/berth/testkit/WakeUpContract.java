package dev.berth.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.berth.limit.Limit;
import dev.berth.limit.Need;
import dev.berth.store.Claim;
import dev.berth.store.Command;
import dev.berth.store.Held;
import dev.berth.store.SessionRequest;
import dev.berth.store.Store;
import dev.berth.store.WakeUp;
import dev.berth.task.Outcome;
import dev.berth.task.TaskId;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;

/** Wake-ups: a hint soon after work came into being. */
abstract class WakeUpContract extends ContractTest {

  private static final Limit GPU = Limit.of("gpu", 1);

  private final List<WakeUp> heard = new CopyOnWriteArrayList<>();

  @Test
  void aSubmitWakes() {
    store.onWork(heard::add);
    submit(Draft.task().queue("letters"));

    awaitWakeUp("letters");
  }

  @Test
  void aSubmitForLaterTellsWhen() {
    store.onWork(heard::add);
    submit(Draft.task().delay(Duration.ofMinutes(5)));

    await()
        .until(() ->
            heard.stream()
                .anyMatch(hint ->
                    hint.queue().equals("default")
                        && hint.in().compareTo(Duration.ofMinutes(4)) > 0
                        && hint.in().compareTo(Duration.ofMinutes(5)) <= 0));
  }

  @Test
  void aPromotedTaskWakes() {
    submit(Draft.task().queue("letters").delay(Duration.ofMinutes(5)));
    store.onWork(heard::add);
    pass(Duration.ofMinutes(6));

    awaitWakeUp("letters");
  }

  /** Only a sweep can find its first time: it must come soon, but there is nothing to claim. */
  @Test
  void aNewScheduleWakesSweepsAndItsOccurrenceWakesClaims() {
    store.onWork(heard::add);
    store.apply(new Command.SetSchedule(ScheduleTest.hourly()));
    await()
        .until(() ->
            heard.stream()
                .anyMatch(hint -> !hint.now() && hint.in().compareTo(Duration.ofSeconds(1)) < 0));
    store.advance(store.sweep().schedules().getFirst().advance());
    heard.clear();
    fixture.advance(ScheduleTest.HOUR);
    store.advance(store.sweep().schedules().getFirst().advance());

    awaitWakeUp("default");
  }

  @Test
  void aReleasedTaskWakes() {
    submitOne();
    Claimer claimer = claimer();
    var claim = claimer.claimOne();
    store.onWork(heard::add);
    claimer.end(claim, RELEASED);

    awaitWakeUp("default");
  }

  @Test
  void aTaskOfADeadSessionWakes() {
    submitOne();
    claimer().claimOne();
    store.onWork(heard::add);
    pass(LEASE_OVER);

    awaitWakeUp("default");
  }

  @Test
  void aReleasedHoldWakes() {
    Claimer holder = claimer();
    store.hold(holder.id(), 1, new Need(GPU.key(), 1, 1));
    submit(Draft.task().under(GPU));
    assertThat(claimer().claim(1)).isEmpty();
    store.onWork(heard::add);
    store.release(holder.id(), 1);

    awaitWakeUp("default");
  }

  @Test
  void aHoldOfADeadSessionWakes() {
    store.hold(claimer().id(), 1, new Need(GPU.key(), 1, 1));
    submit(Draft.task().under(GPU));
    fixture.advance(LEASE_OVER);
    assertThat(claimer().claim(1)).isEmpty();
    store.onWork(heard::add);
    store.sweep();

    awaitWakeUp("default");
  }

  @Test
  void aTaskRetriedByHandWakes() {
    TaskId id = submitAndEnd(FAILED);
    store.onWork(heard::add);
    retry(id);

    awaitWakeUp("default");
  }

  @Test
  void aResumedQueueWakes() {
    store.apply(new Command.PauseQueue("letters"));
    submit(Draft.task().queue("letters"));
    store.onWork(heard::add);
    store.apply(new Command.ResumeQueue("letters"));

    awaitWakeUp("letters");
  }

  @Test
  void aRetryTellsWhen() {
    submitOne();
    Claimer claimer = claimer();
    var claim = claimer.claimOne();
    store.onWork(heard::add);
    claimer.end(claim, new Outcome.Retrying("busy", Duration.ofMinutes(5)));

    await().until(() -> heard.stream().anyMatch(hint -> !hint.now()));
  }

  @Test
  void aFreedSlotWakes() {
    submitBehindAFullLimit();
    Claimer claimer = claimer();
    Claim claim = claimer.claim(1, "letters").getFirst();
    store.onWork(heard::add);
    claimer.end(claim, FINISHED);

    awaitWakeUp("letters");
  }

  @Test
  void aRaisedLimitWakes() {
    submitBehindAFullLimit();
    claimer().claim(1, "letters");
    store.onWork(heard::add);
    store.apply(new Command.SetLimit(GPU.key(), 2));

    awaitWakeUp("letters");
  }

  @Test
  void aResumedLimitWakes() {
    submitBehindAFullLimit();
    store.apply(new Command.PauseLimit(GPU.key()));
    store.onWork(heard::add);
    store.apply(new Command.ResumeLimit(GPU.key()));

    awaitWakeUp("letters");
  }

  @Test
  void aTaskThatEndsWakesWhoWaitsForAHold() {
    submit(Draft.task().under(GPU));
    Claimer claimer = claimer();
    Claim claim = claimer.claimOne();
    holdInVain();
    claimer.end(claim, FINISHED);

    awaitWakeUp("holds");
  }

  @Test
  void aReleasedHoldWakesWhoWaitsForAHold() {
    Claimer holder = claimer();
    store.hold(holder.id(), 1, new Need(GPU.key(), 1, 1));
    holdInVain();
    store.release(holder.id(), 1);

    awaitWakeUp("holds");
  }

  @Test
  void aSessionThatLeavesWakesWhoWaitsForAHold() {
    submit(Draft.task().under(GPU));
    Claimer claimer = claimer();
    claimer.claimOne();
    holdInVain();
    claimer.leave();

    awaitWakeUp("holds");
  }

  @Test
  void aDeadSessionWakesWhoWaitsForAHold() {
    submit(Draft.task().under(GPU));
    claimer().claimOne();
    fixture.advance(LEASE_OVER);
    holdInVain();
    store.sweep();

    awaitWakeUp("holds");
  }

  @Test
  void aRaisedLimitWakesWhoWaitsForAHold() {
    store.hold(claimer().id(), 1, new Need(GPU.key(), 1, 1));
    holdInVain();
    store.apply(new Command.SetLimit(GPU.key(), 2));

    awaitWakeUp("holds");
  }

  @Test
  void aListenerMayCallTheStore() {
    List<Integer> claimed = new CopyOnWriteArrayList<>();
    Claimer claimer = claimer();
    store.onWork(hint -> {
      synchronized (claimer) {
        claimed.add(claimer.claim(10).size());
      }
    });
    submitOne();

    await().until(() -> claimed.contains(1));
  }

  @Test
  void aListenerThatFailsHarmsNobody() {
    store.onWork(hint -> {
      throw new IllegalStateException("the listener failed");
    });
    store.onWork(heard::add);
    TaskId first = submitOne();
    awaitWakeUp("default");
    heard.clear();
    TaskId second = submitOne();
    awaitWakeUp("default");

    assertThat(claimer().claimIds(10)).containsExactlyInAnyOrder(first, second);
  }

  @Test
  void aClosedSubscriptionHearsNothing() {
    List<WakeUp> closed = new CopyOnWriteArrayList<>();
    Store.Subscription subscription = store.onWork(closed::add);
    store.onWork(heard::add);
    subscription.close();
    subscription.close();
    submitOne();

    awaitWakeUp("default");
    assertThat(closed).isEmpty();
  }

  private void submitBehindAFullLimit() {
    Draft draft = Draft.task().queue("letters").under(GPU);
    submitAll(draft, draft.ownId(TaskId.next()));
  }

  /** A session that reads no queue of tasks asks for a slot and gets none. */
  private void holdInVain() {
    SessionRequest request =
        new SessionRequest("holder", List.of(), List.of("holds"), Claimer.LEASE, 0);
    Held held = store.hold(store.open(request).id(), 1, new Need(GPU.key(), 1, 1));
    assertThat(held).isInstanceOf(Held.NoSlot.class);
    store.onWork(heard::add);
  }

  private void awaitWakeUp(String queue) {
    await().until(() -> heard.stream().anyMatch(hint -> hint.queue().equals(queue) && hint.now()));
  }
}
