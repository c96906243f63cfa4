package dev.berth.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.store.Claim;
import dev.berth.store.Command;
import dev.berth.store.SessionRequest.Handled;
import dev.berth.store.Store;
import dev.berth.task.Outcome;
import dev.berth.task.Retention;
import dev.berth.task.TaskType;
import dev.berth.view.AuditFilter;
import dev.berth.view.QueueView;
import dev.berth.view.StoreReader;
import dev.berth.view.TaskFilter;
import dev.berth.view.WorkflowView;
import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * What workers and people do all day, once: a sweep, an exchange for all that is there, and each
 * look. None of it may fail, whatever has been called before. {@link #keep} leaves tasks that must
 * still be there in the end.
 */
public final class Everyday {

  private static final String KEPT = "kept";
  private static final int KEPT_TASKS = 20;
  private static final int OPENED_ANEW = 8;
  private static final int CLAIMS = 3;

  /** Types and queues that have tasks. */
  public record Known(List<String> types, List<String> queues) {}

  private final StoreFixture fixture;
  private final Supplier<Known> known;
  private @Nullable Claimer claimer;
  private String[] queues = {};
  private int times;
  private int claimed;

  public Everyday(StoreFixture fixture, Supplier<Known> known) {
    this.fixture = fixture;
    this.known = known;
  }

  /** Finds types and queues in the list of tasks. */
  public Everyday(StoreFixture fixture) {
    this(
        fixture,
        () -> {
          var tasks = fixture.store().reader().list(TaskFilter.ALL.most(1_000));
          return new Known(
              tasks.stream().map(task -> task.type()).distinct().toList(),
              tasks.stream().map(task -> task.place().queue()).distinct().toList());
        });
  }

  /** Some tasks that nothing else has to do with. */
  public void keep() {
    fixture
        .store()
        .submit(
            IntStream.range(0, KEPT_TASKS)
                .mapToObj(i -> Draft.task().type(KEPT).queue(KEPT).delay(Duration.ofMillis(i)))
                .map(Draft::submission)
                .toList());
  }

  /** How many tasks were claimed up to now. */
  public int claimed() {
    return claimed;
  }

  /** Does it all once. */
  public void goOn() {
    Store store = fixture.store();
    Claimer worker = worker();
    worker.heartbeat();
    store.sweep();
    List<Claim> claims = worker.claim(CLAIMS, queues);
    claimed += claims.size();
    worker.endAll(claims, times % 3 == 0 ? new Outcome.Failed("so") : new Outcome.Finished(null));
    look(store.reader());
  }

  /** The tasks of {@link #keep} are there, and nothing is out of order. */
  public void nothingIsLost() {
    assertThat(fixture.store().reader().unreadable()).isEmpty();
    fixture.advance(Duration.ofMinutes(1));
    fixture.store().sweep();
    assertThat(Claimer.open(fixture.store(), "keeper", KEPT).claim(KEPT_TASKS, KEPT))
        .hasSize(KEPT_TASKS);
  }

  private void look(StoreReader reader) {
    reader.list(TaskFilter.ALL).stream()
        .findFirst()
        .ifPresent(newest -> {
          assertThat(reader.explain(newest.id())).isPresent();
          reader.find(newest.id());
          reader.attempts(newest.id());
        });
    reader.limits();
    reader.quotas();
    reader.schedules();
    reader.queues();
    reader.sessions();
    reader.workflows(100).stream().findFirst().map(WorkflowView::name).ifPresent(reader::workflow);
    reader.audit(AuditFilter.ALL);
    assertThat(reader.drift()).isEmpty();
    assertThat(reader.unreadable()).isEmpty();
  }

  /** What is paused or has no slots is so no more: else nothing would be claimed any longer. */
  private void resume() {
    Store store = fixture.store();
    store.reader().queues().stream()
        .filter(QueueView::paused)
        .forEach(queue -> store.apply(new Command.ResumeQueue(queue.queue())));
    store
        .reader()
        .limits()
        .forEach(limit -> {
          store.apply(new Command.ResumeLimit(limit.key()));
          store.apply(new Command.ResetLimit(limit.key()));
        });
  }

  /** A worker of all that is there, now and then a new one. */
  private Claimer worker() {
    Claimer worker = claimer;
    if (worker == null || times % OPENED_ANEW == 0) {
      if (worker != null) {
        worker.leave();
      }
      resume();
      Known there = known.get();
      queues = there.queues().stream().filter(queue -> !queue.equals(KEPT)).toArray(String[]::new);
      worker =
          Claimer.open(
              fixture.store(),
              "everyday",
              there.types().stream()
                  .filter(type -> !type.equals(KEPT))
                  .map(type -> new Handled(type, Retention.DEFAULT, TaskType.DEFAULT_MAX_CRASHES))
                  .toList(),
              queues);
      claimer = worker;
    }
    times++;
    return worker;
  }
}
