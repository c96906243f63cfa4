package dev.berth.worker;

import dev.berth.store.Store;
import dev.berth.task.Codec;
import dev.berth.task.Names;
import dev.berth.task.TaskType;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.slf4j.event.Level;

/**
 * A worker to be given its handlers and started. What is set here gives way to a configuration file
 * and to the environment: see {@link WorkerSettings}.
 */
public final class WorkerBuilder {

  private static final int HEAVIEST = 1_000;

  private final Store store;
  private final Codec codec;
  private final Map<String, Handling<?, ?>> handlings = new LinkedHashMap<>();
  private final Map<String, Integer> queues = new LinkedHashMap<>();
  private final List<WorkerListener> listeners = new ArrayList<>();
  private final List<Interceptor> interceptors = new ArrayList<>();
  private final SettingValues said = new SettingValues();
  private Map<String, String> file = Map.of();
  private Map<String, String> environment = System.getenv();

  public WorkerBuilder(Store store, Codec codec) {
    this.store = store;
    this.codec = codec;
  }

  /** Runs the tasks of this type with code that returns nothing. */
  public <P> WorkerBuilder handle(TaskType<P, Void> type, Handler<P> handler) {
    return add(
        new Handling<>(
            type,
            (payload, task) -> {
              handler.run(payload, task);
              return null;
            }));
  }

  /** Runs the tasks of this type with code whose value is stored with the task. */
  public <P, R> WorkerBuilder answer(TaskType<P, R> type, Answer<P, R> answer) {
    return add(new Handling<>(type, answer));
  }

  /** Runs the tasks of this type with code that says itself how each attempt ended. */
  public <P> WorkerBuilder decide(TaskType<P, ?> type, Decider<P> decider) {
    return add(new Handling<P, Decision>(type, decider::run));
  }

  /**
   * At which levels it logs that an attempt of this type failed: one that is tried again, and one
   * that was the last. WARN and ERROR where nothing is said. The logger is {@code
   * dev.berth.task.TYPE}.
   */
  public WorkerBuilder logFailures(TaskType<?, ?> type, Level retried, Level failed) {
    if (handlings.computeIfPresent(type.name(), (name, its) -> its.logging(retried, failed))
        == null) {
      throw new IllegalArgumentException(
          "Task type " + type + " has no handler yet: call handle or answer before logFailures");
    }
    return this;
  }

  /** Reads this queue; where none is named, the queues of the handled types. */
  public WorkerBuilder queue(String name) {
    return queue(name, 1);
  }

  /** Reads this queue first so many times as often as one of weight 1. */
  public WorkerBuilder queue(String name, int weight) {
    Names.check("queue", name);
    if (weight < 1 || weight > HEAVIEST) {
      throw new IllegalArgumentException(
          "The weight of queue " + name + " is from 1 to " + HEAVIEST + ", not " + weight);
    }
    queues.put(name, weight);
    return this;
  }

  /** Hears what the worker does; may be called several times. */
  public WorkerBuilder listener(WorkerListener listener) {
    listeners.add(listener);
    return this;
  }

  /** Runs around every handler; may be called several times, and the first is the outermost. */
  public WorkerBuilder interceptor(Interceptor interceptor) {
    interceptors.add(interceptor);
    return this;
  }

  /** Who it is, for people; host and process where nothing is said. */
  public WorkerBuilder name(String name) {
    return set(Setting.WORKER_NAME, name);
  }

  /** How many tasks it has in flight at most; 1,000 where nothing is said. */
  public WorkerBuilder maxConcurrentTasks(int count) {
    return set(Setting.MAX_CONCURRENT_TASKS, count);
  }

  /**
   * How many tasks one exchange claims at most, or as many as it hands in; 50 where nothing is
   * said.
   */
  public WorkerBuilder claimBatchSize(int count) {
    return set(Setting.CLAIM_BATCH_SIZE, count);
  }

  /** How often it looks for work when idle and no wake-up comes; 100 ms where nothing is said. */
  public WorkerBuilder pollInterval(Duration interval) {
    return set(Setting.POLL_INTERVAL_MS, interval);
  }

  /** How long its tasks stay its own without a heartbeat; 30 s where nothing is said. */
  public WorkerBuilder lease(Duration lease) {
    return set(Setting.LEASE_MS, lease);
  }

  /** How often it renews its lease, at most half of it; 5 s where nothing is said. */
  public WorkerBuilder heartbeatInterval(Duration interval) {
    return set(Setting.HEARTBEAT_INTERVAL_MS, interval);
  }

  /** How long a stop waits for running handlers; 30 s where nothing is said. */
  public WorkerBuilder stopTimeout(Duration timeout) {
    return set(Setting.STOP_TIMEOUT_MS, timeout);
  }

  /** The used part of the memory above which it claims half; 0.8 where nothing is said. */
  public WorkerBuilder memoryThreshold(double part) {
    return set(Setting.MEMORY_THRESHOLD, part);
  }

  /** The time of an exchange above which it claims 30 % less; 500 ms where nothing is said. */
  public WorkerBuilder latencyThreshold(Duration latency) {
    return set(Setting.LATENCY_THRESHOLD_MS, latency);
  }

  /** Whether it listens for hints that work exists; on where nothing is said. */
  public WorkerBuilder wakeUps(boolean on) {
    return set(Setting.WAKE_UPS, on);
  }

  /**
   * Values from a configuration file, such as {@code worker.claim_batch_size}: these win. Those of
   * {@code limits}, such as {@code limits.type/send_email}, win over the numbers of the types.
   */
  public WorkerBuilder settings(Map<String, String> fileValues) {
    file = Map.copyOf(fileValues);
    return this;
  }

  /** Instead of the environment of the process. */
  WorkerBuilder environment(Map<String, String> variables) {
    environment = Map.copyOf(variables);
    return this;
  }

  /** Starts it; when this returns it is at work, or waiting for a store that does not answer. */
  public Worker start() {
    if (handlings.isEmpty()) {
      throw new IllegalStateException(
          "A worker needs at least one handler: call handle or answer before start");
    }
    FileLimits limits = FileLimits.of(file);
    Map<String, Handling<?, ?>> whole = new LinkedHashMap<>();
    handlings.forEach((type, handling) -> whole.put(type, handling.within(interceptors)));
    return new Worker(store, codec, readSettings(), Map.copyOf(whole), order(), limits, listeners)
        .start();
  }

  WorkerSettings readSettings() {
    SettingValues values = new SettingValues(said);
    values.fromFile(file);
    values.fromEnvironment(environment);
    return WorkerSettings.from(values);
  }

  private QueueOrder order() {
    Map<String, Integer> read = new LinkedHashMap<>(queues);
    if (read.isEmpty()) {
      handlings.values().forEach(handling -> read.put(handling.type().queue(), 1));
    }
    return new QueueOrder(read);
  }

  private WorkerBuilder add(Handling<?, ?> handling) {
    String name = handling.type().name();
    if (handlings.putIfAbsent(name, handling) != null) {
      throw new IllegalArgumentException(
          "Task type " + name + " has a handler already: a type has one handler per worker");
    }
    return this;
  }

  private WorkerBuilder set(Setting setting, Object value) {
    said.fromBuilder(setting, value);
    return this;
  }
}
