package dev.berth;

import dev.berth.store.Applied;
import dev.berth.store.Command;
import dev.berth.store.QuotaFullException;
import dev.berth.store.Store;
import dev.berth.store.StoreProvider;
import dev.berth.store.Submission;
import dev.berth.store.Submissions;
import dev.berth.store.Submitted;
import dev.berth.store.Submitter;
import dev.berth.task.Codec;
import dev.berth.task.SubmitOptions;
import dev.berth.task.TaskId;
import dev.berth.task.TaskType;
import dev.berth.view.StoreReader;
import dev.berth.view.TaskView;
import dev.berth.worker.WorkerBuilder;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The queue as an application sees it: submit tasks, start workers, wait for results, look and
 * steer. Cheap to hold, safe to share between threads.
 */
public final class Berth implements AutoCloseable {

  /** How many submissions go into one batch of {@link #submitAll}. */
  private static final int BATCH = 1_000;

  private final Store store;
  private final Submitter submitter;
  private final Codec codec;
  private final Submissions submissions;
  private final Limits limits;

  private Berth(Store store, Submitter submitter, Codec codec, Limits limits) {
    this.store = store;
    this.submitter = submitter;
    this.codec = codec;
    this.limits = limits;
    this.submissions = new Submissions(codec);
  }

  /** Berth on this store, with the codec found on the class path. */
  public static Berth on(Store store) {
    return on(store, Codec.installed());
  }

  public static Berth on(Store store, Codec codec) {
    return new Berth(store, store, codec, new Limits(store));
  }

  /**
   * Berth on the store that this URL names, such as {@code postgres://user:password@host/database}
   * or {@code jdbc:postgresql://host/database?user=…}.
   */
  public static Berth open(String url) {
    return on(StoreProvider.openAny(url));
  }

  /**
   * The same Berth, submitting through something else: {@code
   * berth.through(store.joining(connection)).submit(…)} makes the task part of the caller's
   * transaction, which stays the caller's to commit.
   */
  public Berth through(Submitter other) {
    return new Berth(store, other, codec, limits);
  }

  /**
   * Makes a task durable and returns its id, also where a task with this id was already there. A
   * type whose quota says so may answer with the id of another task that is there instead.
   *
   * @throws QuotaFullException if a quota is full and the task was refused
   */
  public <P> TaskId submit(TaskType<P, ?> type, P payload, UnaryOperator<SubmitOptions> options) {
    return switch (trySubmit(type, payload, options)) {
      case Submitted.Accepted accepted -> accepted.id();
      case Submitted.Existing existing -> existing.id();
      case Submitted.QuotaFull full -> throw new QuotaFullException(full);
    };
  }

  public <P> TaskId submit(TaskType<P, ?> type, P payload) {
    return submit(type, payload, options -> options);
  }

  /** As {@code submit}, and says what happened instead of throwing. */
  public <P> Submitted trySubmit(
      TaskType<P, ?> type, P payload, UnaryOperator<SubmitOptions> options) {
    Submission submission = submissions.of(type, payload, options.apply(SubmitOptions.DEFAULT));
    return Store.submitOne(submitter, submission);
  }

  public <P> Submitted trySubmit(TaskType<P, ?> type, P payload) {
    return trySubmit(type, payload, options -> options);
  }

  /**
   * Submits a stream of any length, batch by batch: memory stays small, and each batch of 1,000 is
   * durable or not as a whole. An exception in the middle leaves the batches before it in place.
   *
   * @return how many were accepted
   * @throws QuotaFullException if a quota refused some of a batch; the others of it, and the
   *     batches before it, are in place
   */
  public <P> long submitAll(
      TaskType<P, ?> type, Stream<P> payloads, UnaryOperator<SubmitOptions> options) {
    SubmitOptions said = options.apply(SubmitOptions.DEFAULT);
    if (said.ownId()) {
      throw new IllegalArgumentException("One id cannot name a whole stream of tasks");
    }
    long accepted = 0;
    List<Submission> batch = new ArrayList<>(BATCH);
    try (payloads) {
      for (Iterator<P> all = payloads.iterator(); all.hasNext(); ) {
        batch.add(submissions.of(type, all.next(), said));
        if (batch.size() == BATCH || !all.hasNext()) {
          accepted += submitBatch(batch);
          batch.clear();
        }
      }
    }
    return accepted;
  }

  public <P> long submitAll(TaskType<P, ?> type, Stream<P> payloads) {
    return submitAll(type, payloads, options -> options);
  }

  /**
   * A workflow to be given its steps and submitted; or further steps for one that is there. Its
   * name is the caller's own, such as "order-42".
   */
  public Workflow workflow(String name) {
    return new Workflow(submitter, submissions, name);
  }

  /**
   * Waits until the task has ended and returns its result; null where its type has none.
   *
   * @throws IllegalArgumentException if the task is of another type
   * @throws TaskFailedException if it failed or was cancelled
   * @throws AwaitTimeoutException if it has not ended in time; the task goes on
   */
  public <R> @Nullable R await(TaskType<?, R> type, TaskId id, Duration longest)
      throws InterruptedException {
    TaskView ended = new Awaiting(store.reader()).ended(type, id, longest);
    return switch (ended.state()) {
      case FINISHED -> result(type, ended);
      default -> throw new TaskFailedException(ended);
    };
  }

  public Optional<TaskView> find(TaskId id) {
    return store.reader().find(id);
  }

  /** The task of this type that was submitted under a text, such as "order-42". */
  public Optional<TaskView> find(TaskType<?, ?> type, String name) {
    return find(TaskId.named(type.name(), name));
  }

  /** The tasks that were submitted under this text, of all types. */
  public List<TaskView> find(String name) {
    return store.reader().named(name);
  }

  /** A pending task ends at once; the handler of a running one is interrupted. */
  public Applied cancel(TaskId id, String reason) {
    return store.apply(new Command.Cancel(id, reason));
  }

  /** A failed or cancelled task is pending again, unless a quota of it is full. */
  public Applied retry(TaskId id) {
    return store.apply(new Command.RetryTask(id));
  }

  public StoreReader reader() {
    return store.reader();
  }

  /** A worker to be given its handlers and started. */
  public WorkerBuilder worker() {
    return new WorkerBuilder(store, codec);
  }

  /**
   * A schedule to be given its times and what it submits: {@code berth.schedule("nightly").cron("0
   * 3 * * *", zone).submits(pack, order)}. The newest definition of a name counts.
   */
  public ScheduleTimes schedule(String name) {
    return new ScheduleTimes(name, new ScheduleBuilder.Target(store, submissions));
  }

  /** Looks at schedules, and pauses, resumes, runs and removes them. */
  public Schedules schedules() {
    return new Schedules(store);
  }

  /** Looks at queues, pauses and resumes them. */
  public Queues queues() {
    return new Queues(store);
  }

  /** Looks at workflows, and retries, skips and cancels what is in them. */
  public Workflows workflows() {
    return new Workflows(store);
  }

  /** Looks at limits, changes them, and takes slots for code that is no task. */
  public Limits limits() {
    return limits;
  }

  /** Gives back all slots held without tasks and closes the store. Close workers first. */
  @Override
  public void close() {
    limits.close();
    store.close();
  }

  private long submitBatch(List<Submission> batch) {
    long accepted = 0;
    List<Submitted.QuotaFull> refused = new ArrayList<>();
    for (Submitted submitted : submitter.submit(batch)) {
      switch (submitted) {
        case Submitted.Accepted accept -> accepted++;
        case Submitted.Existing existing -> {}
        case Submitted.QuotaFull full -> refused.add(full);
      }
    }
    if (!refused.isEmpty()) {
      throw new QuotaFullException(
          refused.getFirst(),
          "%d of the last %d tasks were not submitted, %d were"
              .formatted(refused.size(), batch.size(), accepted));
    }
    return accepted;
  }

  private <R> @Nullable R result(TaskType<?, R> type, TaskView ended) {
    String json = ended.result();
    return json == null || type.result() == Void.class ? null : codec.decode(json, type.result());
  }
}
