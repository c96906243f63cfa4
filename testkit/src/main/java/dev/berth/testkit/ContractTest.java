package dev.berth.testkit;

import dev.berth.store.Applied;
import dev.berth.store.Command;
import dev.berth.store.Store;
import dev.berth.store.StoreException;
import dev.berth.store.Submission;
import dev.berth.store.Submitted;
import dev.berth.task.Outcome;
import dev.berth.task.TaskId;
import dev.berth.task.TaskState;
import dev.berth.view.AttemptView;
import dev.berth.view.AttemptView.Ending;
import dev.berth.view.StoreReader;
import dev.berth.view.TaskView;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.NullUnmarked;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** What the parts of the contract share: a fresh store for each test, and short words for it. */
@NullUnmarked // The fields are set before each test.
abstract class ContractTest {

  static final Outcome FINISHED = new Outcome.Finished(null);
  static final Outcome FAILED = new Outcome.Failed("no such address");
  static final Outcome RELEASED = new Outcome.Released();

  /** A time after which a session without heartbeats is dead. */
  static final Duration LEASE_OVER = Claimer.LEASE.plusSeconds(1);

  StoreFixture fixture;
  Store store;
  StoreReader reader;

  abstract StoreFixture open() throws Exception;

  @BeforeEach
  void openFixture() throws Exception {
    fixture = open();
    store = fixture.store();
    reader = store.reader();
  }

  @AfterEach
  void closeFixture() {
    if (fixture != null) {
      fixture.close();
    }
  }

  /** A worker that handles these types; the type of plain drafts where none is named. */
  Claimer claimer(String... types) {
    return Claimer.open(store, "worker", types.length == 0 ? new String[] {Draft.TYPE} : types);
  }

  Submitted submit(Draft draft) {
    return Store.submitOne(store, draft.submission());
  }

  /** Submits the drafts in one batch and returns their ids. */
  List<TaskId> submitAll(Draft... drafts) {
    List<Submission> batch = Stream.of(drafts).map(Draft::submission).toList();
    return store.submit(batch).stream().map(Submitted::id).toList();
  }

  TaskId submitOne() {
    return submit(Draft.task()).id();
  }

  /** Submits plain tasks in one batch. */
  List<TaskId> submitMany(int count) {
    return submitAll(Stream.generate(Draft::task).limit(count).toArray(Draft[]::new));
  }

  /** A task of the plain type that has ended in this way. */
  TaskId submitAndEnd(Outcome outcome) {
    TaskId id = submitOne();
    Claimer claimer = claimer();
    claimer.end(claimer.claimOne(), outcome);
    claimer.leave();
    return id;
  }

  /** Lets time pass and sweeps. */
  void pass(Duration time) {
    fixture.advance(time);
    store.sweep();
  }

  Applied cancel(TaskId id) {
    return store.apply(new Command.Cancel(id, "not wanted"));
  }

  Applied retry(TaskId id) {
    return store.apply(new Command.RetryTask(id));
  }

  TaskView view(TaskId id) {
    return reader.find(id).orElseThrow(() -> new AssertionError("Task " + id + " is gone"));
  }

  TaskState state(TaskId id) {
    return view(id).state();
  }

  List<Ending> endings(TaskId id) {
    return reader.attempts(id).stream().map(AttemptView::ending).toList();
  }

  /** Whether this is how a store says that a call is wrong. */
  static boolean saysInvalid(Throwable thrown) {
    return thrown instanceof IllegalArgumentException
        || thrown instanceof StoreException e && e.kind() == StoreException.Kind.INVALID;
  }
}
