package dev.berth.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.store.Command;
import dev.berth.store.SessionRequest;
import dev.berth.store.SessionRequest.Handled;
import dev.berth.task.Outcome;
import dev.berth.task.Retention;
import dev.berth.task.TaskId;
import dev.berth.task.TaskState;
import dev.berth.view.Capacity;
import dev.berth.view.QueueView;
import dev.berth.view.SessionView;
import dev.berth.view.TaskFilter;
import dev.berth.view.TaskView;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Looking: what is listed, counted and shown is what is there. */
abstract class ReaderContract extends ContractTest {

  @Test
  void anEmptyStoreShowsNothing() {
    assertThat(reader.list(TaskFilter.ALL)).isEmpty();
    assertThat(reader.queues()).isEmpty();
    assertThat(reader.sessions()).isEmpty();
    assertThat(reader.find(TaskId.next())).isEmpty();
    assertThat(reader.attempts(TaskId.next())).isEmpty();
  }

  @Test
  void tasksAreListedNewestFirst() {
    List<TaskId> ids = new ArrayList<>();
    Claimer claimer = claimer();
    for (int i = 0; i < 5; i++) {
      ids.addFirst(submitOne());
      fixture.advance(Duration.ofSeconds(1));
    }
    claimer.end(claimer.claimOne(), FINISHED);
    claimer.claimOne();

    assertThat(list(TaskFilter.ALL)).isEqualTo(ids);
    assertThat(list(TaskFilter.ALL.most(2))).isEqualTo(ids.subList(0, 2));
  }

  @Test
  void listsAreFiltered() {
    TaskId finished = submitAndEnd(FINISHED);
    TaskId failed = submitAndEnd(FAILED);
    TaskId retrying = submitAndEnd(new Outcome.Retrying("busy", Duration.ofHours(1)));
    TaskId cancelled = submitOne();
    cancel(cancelled);
    TaskId running = submitOne();
    claimer().claimOne();
    TaskId print = submit(Draft.task().type("print")).id();
    TaskId letters = submit(Draft.task().queue("letters")).id();

    assertThat(list(state(TaskState.FINISHED))).containsExactly(finished);
    assertThat(list(state(TaskState.FAILED))).containsExactly(failed);
    assertThat(list(state(TaskState.RETRYING))).containsExactly(retrying);
    assertThat(list(state(TaskState.CANCELLED))).containsExactly(cancelled);
    assertThat(list(state(TaskState.RUNNING))).containsExactly(running);
    assertThat(list(state(TaskState.PENDING))).containsExactlyInAnyOrder(print, letters);
    assertThat(list(TaskFilter.ALL.state(TaskState.FAILED, TaskState.RUNNING)))
        .containsExactlyInAnyOrder(failed, running);
    assertThat(list(TaskFilter.ALL.type("print"))).containsExactly(print);
    assertThat(list(TaskFilter.ALL.queue("letters"))).containsExactly(letters);
    assertThat(list(TaskFilter.ALL.queue("letters").type("print"))).isEmpty();
    assertThat(list(TaskFilter.ALL)).hasSize(7);
  }

  @Test
  void queuesAreCounted() {
    submitMany(5);
    claimer().claim(2);
    submitAll(
        Draft.task().delay(Duration.ofMinutes(1)),
        Draft.task().queue("letters").delay(Duration.ofMinutes(1)));
    store.apply(new Command.PauseQueue("letters"));
    store.apply(new Command.PauseQueue("nothing here"));

    assertThat(reader.queues())
        .containsExactlyInAnyOrder(
            new QueueView("default", false, 1, 3, 2),
            new QueueView("letters", true, 1, 0, 0),
            new QueueView("nothing here", true, 0, 0, 0));
  }

  @Test
  void retriesWaitUntilTheyAreDue() {
    submitAndEnd(new Outcome.Retrying("busy", Duration.ofMinutes(1)));

    assertThat(reader.queues()).containsExactly(new QueueView("default", false, 1, 0, 0));
    pass(Duration.ofMinutes(2));
    assertThat(reader.queues()).containsExactly(new QueueView("default", false, 0, 1, 0));
  }

  @Test
  void aQueueIsForgottenWhenItsWorkIsDone() {
    submitAndEnd(FINISHED);

    assertThat(reader.queues()).isEmpty();
  }

  @Test
  void sessionsAreShownWhileTheyAreAlive() {
    submitMany(3);
    List<Handled> types =
        List.of(
            new Handled(Draft.TYPE, Retention.DEFAULT, 5),
            new Handled("print", Retention.DEFAULT, 5));
    store.open(new SessionRequest("idle", types, List.of("a", "b"), Duration.ofMinutes(5), 7));
    Claimer busy = Claimer.open(store, "busy", Draft.TYPE);
    busy.claim(3);
    store.heartbeat(busy.id(), new Capacity(3, 10, 0.25), Map.of());

    SessionView idleView = session("idle");
    assertThat(idleView.queues()).containsExactlyInAnyOrder("a", "b");
    assertThat(idleView.types()).containsExactlyInAnyOrder(Draft.TYPE, "print");
    assertThat(idleView.capacity().max()).isEqualTo(7);
    assertThat(idleView.running()).isZero();
    assertThat(Duration.between(idleView.openedAt(), idleView.expiresAt()))
        .isBetween(Duration.ofSeconds(299), Duration.ofSeconds(301));
    SessionView busyView = session("busy");
    assertThat(busyView.id()).isEqualTo(busy.id());
    assertThat(busyView.running()).isEqualTo(3);
    assertThat(busyView.capacity()).isEqualTo(new Capacity(3, 10, 0.25));
    fixture.advance(LEASE_OVER);
    assertThat(reader.sessions()).extracting(SessionView::worker).containsExactly("idle");
  }

  @Test
  void aSessionThatLeftIsNotShown() {
    claimer().leave();

    assertThat(reader.sessions()).isEmpty();
  }

  private static TaskFilter state(TaskState state) {
    return TaskFilter.ALL.state(state);
  }

  private List<TaskId> list(TaskFilter filter) {
    return reader.list(filter).stream().map(TaskView::id).toList();
  }

  private SessionView session(String worker) {
    return reader.sessions().stream()
        .filter(view -> view.worker().equals(worker))
        .findFirst()
        .orElseThrow();
  }
}
