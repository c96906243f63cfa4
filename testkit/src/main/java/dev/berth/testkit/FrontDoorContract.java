package dev.berth.testkit;

import dev.berth.AcquireTimeoutException;
import dev.berth.AwaitTimeoutException;
import dev.berth.Berth;
import dev.berth.ScheduleBuilder;
import dev.berth.ScheduleTimes;
import dev.berth.TaskFailedException;
import dev.berth.Workflow;
import dev.berth.limit.Limit;
import dev.berth.limit.LimitKey;
import dev.berth.limit.WhenFull;
import dev.berth.schedule.Missed;
import dev.berth.schedule.Overlap;
import dev.berth.store.QuotaFullException;
import dev.berth.store.StoreException;
import dev.berth.task.Codec;
import dev.berth.task.OnFailure;
import dev.berth.task.Retention;
import dev.berth.task.Retry;
import dev.berth.task.SubmitOptions;
import dev.berth.task.TaskId;
import dev.berth.task.TaskState;
import dev.berth.task.TaskType;
import dev.berth.view.AuditFilter;
import dev.berth.view.TaskFilter;
import dev.berth.view.TaskView;
import dev.berth.worker.Worker;
import dev.berth.worker.WorkerBuilder;
import java.time.Duration;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.NullUnmarked;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * All that an application calls, with values from the edges. Each call does what it says, or says
 * in a sentence why it does not; and all else goes on. {@code -Dberth.fuzz=NUMBER} makes a quarter
 * of so many calls.
 */
@Tag("race")
@NullUnmarked // The fields are set before each call.
abstract class FrontDoorContract extends ContractTest {

  private static final int CALLS = Integer.getInteger("berth.fuzz", 160) / 4;
  private static final int ENTRIES = 13;

  /**
   * What a call of the front door may end with besides a refusal, for its documentation says so.
   */
  private static final Set<Class<?>> SAID =
      Set.of(
          QuotaFullException.class,
          AcquireTimeoutException.class,
          AwaitTimeoutException.class,
          TaskFailedException.class);

  private Edges edges;
  private Berth berth;
  private String where;

  @Test
  void everyEntryOfTheFrontDoor() throws InterruptedException {
    long seed = Seeds.of("the front door", 1).findFirst().orElseThrow();
    edges = new Edges(new Random(seed));
    berth = Berth.on(store, new Quoted());
    Everyday everyday = new Everyday(fixture);
    everyday.keep();
    for (int i = 0; i < CALLS; i++) {
      where = "nothing";
      try {
        call(i < 2 * ENTRIES ? i % ENTRIES : edges.below(ENTRIES));
      } catch (RuntimeException refused) {
        if (!isSentence(refused)) {
          throw Seeds.failed(seed, "call " + i + " of " + where, refused);
        }
      }
      try {
        everyday.goOn();
      } catch (RuntimeException | AssertionError e) {
        throw Seeds.failed(seed, "after call " + i + " of " + where, e);
      }
    }
    everyday.nothingIsLost();
  }

  private static boolean isSentence(RuntimeException refused) {
    boolean kind =
        refused.getClass() == IllegalArgumentException.class
            || SAID.contains(refused.getClass())
            || refused instanceof StoreException e && e.refused();
    String message = String.valueOf(refused.getMessage());
    return kind
        && message.strip().contains(" ")
        && message.length() > 15
        && !message.startsWith("ERROR");
  }

  private void call(int which) throws InterruptedException {
    switch (which) {
      case 0 -> {
        where = "submit";
        berth.submit(type(), edges.half(), this::options);
      }
      case 1 -> {
        where = "submitAll";
        berth.submitAll(type(), Stream.of(edges.half(), edges.text()), this::options);
      }
      case 2 -> {
        where = "workflow";
        Workflow steps = berth.workflow(name()).onFailure(edges.pick(OnFailure.values()));
        for (int i = edges.below(3); i >= 0; i--) {
          steps = steps.then(name(), type(), edges.text(), this::options);
        }
        steps.submit();
      }
      case 3 -> {
        where = "schedule";
        ScheduleTimes times = berth.schedule(name());
        ScheduleBuilder schedule = times.every(edges.duration());
        schedule
            .missed(edges.pick(Missed.values()))
            .overlap(edges.pick(Overlap.values()))
            .submits(type(), edges.half(), edges.one(2) ? this::options : said -> said);
      }
      case 4 -> limits();
      case 5 -> {
        where = "acquire";
        berth.limits().tryAcquire(limit(), edges.number()).ifPresent(slot -> slot.close());
        berth.limits().acquire(limit(), edges.number(), brief()).close();
      }
      case 6 -> {
        where = "schedules";
        switch (edges.below(5)) {
          case 0 -> berth.schedules().pause(name());
          case 1 -> berth.schedules().resume(name());
          case 2 -> berth.schedules().run(name());
          case 3 -> berth.schedules().remove(name());
          default -> berth.schedules().find(name());
        }
      }
      case 7 -> {
        where = "workflows";
        switch (edges.below(5)) {
          case 0 -> berth.workflows().list(edges.number());
          case 1 -> berth.workflows().find(name());
          case 2 -> berth.workflows().retry(name());
          case 3 -> berth.workflows().skip(name(), name());
          default -> berth.workflows().cancel(name(), edges.half());
        }
      }
      case 8 -> {
        where = "queues";
        String queue = name();
        berth.queues().pause(queue);
        berth.queues().find(queue);
        if (edges.one(2)) {
          berth.queues().resume(queue);
        }
      }
      case 9, 10 -> work();
      case 11 -> {
        where = "one task";
        TaskId id = someTask();
        switch (edges.below(6)) {
          case 0 -> berth.find(edges.half());
          case 1 -> berth.find(type(), edges.half());
          case 2 -> berth.cancel(id, edges.half());
          case 3 -> berth.retry(id);
          case 4 -> berth.find(TaskId.parse(edges.half()));
          default -> berth.await(type(), id, brief());
        }
      }
      default -> {
        where = "reader";
        switch (edges.below(4)) {
          case 0 ->
              berth
                  .reader()
                  .list(
                      new TaskFilter(
                          Set.of(edges.pick(TaskState.values())), name(), name(), edges.number()));
          case 1 -> berth.reader().audit(new AuditFilter(key(), edges.instant()));
          case 2 -> berth.reader().step(someTask(), edges.half());
          default -> berth.reader().explain(someTask());
        }
      }
    }
  }

  private void limits() {
    where = "limits";
    LimitKey key = key();
    switch (edges.below(8)) {
      case 0 -> berth.limits().set(key, edges.number());
      case 1 -> berth.limits().set(key, edges.number(), edges.duration());
      case 2 -> berth.limits().reset(key);
      case 3 -> berth.limits().pause(key);
      case 4 -> berth.limits().resume(key);
      case 5 -> berth.limits().releaseSlot(key, edges.large());
      case 6 -> berth.limits().recount(key);
      default -> berth.limits().find(key);
    }
  }

  /** A worker with settings from the edges, which runs what it finds. */
  private void work() {
    where = "worker";
    WorkerBuilder worker = berth.worker().pollInterval(Duration.ofMillis(10));
    TaskType<String, String> type = type();
    if (edges.one(2)) {
      worker.answer(type, (payload, task) -> edgesOf(payload));
    } else {
      worker.handle(
          TaskType.of(type.name(), String.class).queue(type.queue()).retry(type.retry()),
          (payload, task) -> {
            throw new IllegalStateException(edgesOf(payload));
          });
    }
    for (int i = edges.below(3); i > 0; i--) {
      set(worker);
    }
    try (Worker started = worker.stopTimeout(Duration.ofSeconds(1)).start()) {
      berth.submit(type, edges.text());
      started.stats();
    }
  }

  /** What a handler returns or says: its payload, and half a character. */
  private static String edgesOf(String payload) {
    return payload + "\uD840\0";
  }

  private void set(WorkerBuilder worker) {
    int which = edges.below(12);
    where += ", setting " + which;
    switch (which) {
      case 0 -> worker.name(edges.half());
      case 1 -> worker.maxConcurrentTasks(edges.number());
      case 2 -> worker.claimBatchSize(edges.number());
      case 3 -> worker.pollInterval(edges.duration());
      case 4 -> worker.lease(edges.duration());
      case 5 -> worker.heartbeatInterval(edges.duration());
      case 6 -> worker.memoryThreshold(edges.part());
      case 7 -> worker.latencyThreshold(edges.duration());
      case 8 -> worker.queue(edges.half(), edges.number());
      case 9 -> worker.wakeUps(edges.one(2));
      case 10 -> worker.settings(Map.of("limits." + edges.half(), edges.half()));
      default ->
          worker.settings(
              Map.of(
                  edges.pick("worker.claim_batch_size", "worker.lease_ms", "worker.x"),
                  edges.pick(edges.half(), "" + edges.large())));
    }
  }

  private TaskType<String, String> type() {
    TaskType<String, String> type = TaskType.of(name(), String.class).returning(String.class);
    for (int i = edges.below(4); i > 0; i--) {
      int which = edges.below(12);
      where += ", type " + which;
      type =
          switch (which) {
            case 0 -> type.queue(name());
            case 1 -> type.priority(edges.number());
            case 2 -> type.retry(retry());
            case 3 -> type.timeout(edges.duration());
            case 4 -> type.keep(Retention.days(edges.number(), edges.number()));
            case 5 -> type.maxCrashes(edges.number());
            case 6 -> type.limit(edges.number());
            case 7 -> type.limitPer(name(), payload -> edges.half(), edges.number());
            case 8 -> type.under(limit(), edges.number());
            case 9 -> type.quota(edges.number(), edges.pick(WhenFull.values()));
            case 10 ->
                type.quotaPer(
                    name(), payload -> edges.half(), edges.number(), edges.pick(WhenFull.values()));
            default -> type.uniquePer(name(), payload -> payload);
          };
    }
    return type;
  }

  private Retry retry() {
    return switch (edges.below(4)) {
      case 0 -> Retry.attempts(edges.number());
      case 1 -> Retry.fixed(edges.number(), edges.duration());
      case 2 -> Retry.exponential(edges.number(), edges.duration(), edges.duration());
      default -> Retry.DEFAULT.factor(edges.part()).jitter(edges.part());
    };
  }

  private SubmitOptions options(SubmitOptions said) {
    SubmitOptions options = said;
    for (int i = edges.below(3); i > 0; i--) {
      int which = edges.below(8);
      where += ", option " + which;
      options =
          switch (which) {
            case 0 -> options.id(edges.half());
            case 1 -> options.id(someTask());
            case 2 -> options.queue(name());
            case 3 -> options.priority(edges.number());
            case 4 -> options.delay(edges.duration());
            case 5 -> options.dueAt(edges.instant());
            case 6 -> options.metadata(Map.of(edges.half(), edges.half()));
            default -> options.under(limit(), edges.number());
          };
    }
    return options;
  }

  private Limit limit() {
    Limit limit = Limit.of(name(), edges.number());
    return edges.one(3) ? limit.pace(edges.duration()) : limit;
  }

  private LimitKey key() {
    return switch (edges.below(6)) {
      case 0 -> new LimitKey(edges.half());
      case 1 -> LimitKey.ofType(name());
      case 2 -> LimitKey.ofTypePer(name(), name(), edges.half());
      case 3 -> LimitKey.ruleOf(name(), name());
      case 4 -> LimitKey.ofTopic(name());
      default -> LimitKey.shared(name());
    };
  }

  /** Names that are meant, most of the time: what is behind them is reached by them only. */
  private String name() {
    return edges.one(4) ? edges.half() : edges.name();
  }

  /** Nobody waits. */
  private Duration brief() {
    return edges.pick(
        Duration.ZERO,
        Duration.ofNanos(1),
        Duration.ofSeconds(Long.MIN_VALUE),
        Duration.ofNanos(-1));
  }

  private TaskId someTask() {
    return berth.reader().list(TaskFilter.ALL).stream()
        .filter(task -> !task.type().equals("kept") && edges.one(3))
        .findFirst()
        .map(TaskView::id)
        .orElseGet(TaskId::next);
  }

  /** Text as JSON, with nothing that any codec may leave out. */
  private static final class Quoted implements Codec {

    @Override
    public String encode(Object value) {
      StringBuilder json = new StringBuilder("\"");
      for (char each : value.toString().toCharArray()) {
        if (each < ' ' || each == '"' || each == '\\') {
          json.append("\\u%04x".formatted((int) each));
        } else {
          json.append(each);
        }
      }
      return json.append('"').toString();
    }

    @Override
    public <T> T decode(String json, Class<T> as) {
      return as.cast(json);
    }
  }
}
