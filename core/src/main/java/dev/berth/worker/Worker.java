package dev.berth.worker;

import static java.util.stream.Collectors.joining;

import dev.berth.store.SessionRequest;
import dev.berth.store.Store;
import dev.berth.store.StoreException;
import dev.berth.store.WakeUp;
import dev.berth.task.Codec;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A running worker: claims tasks of the types it handles, runs them, hands in their outcomes, and
 * keeps at it while the store comes and goes. It runs until it is stopped.
 */
public final class Worker implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(Worker.class);
  private static final Duration THREAD_END = Duration.ofSeconds(1);
  private static final Duration LONGEST_GRACE = Duration.ofSeconds(5);
  private static final Duration SHORTEST_GRACE = Duration.ofMillis(200);
  private static final int GRACE_PART = 6;
  private static final int NAMED_IN_LOG = 20;

  private final WorkerSettings settings;
  private final TimedStore store;
  private final QueueOrder queues;
  private final Telemetry telemetry;
  private final Throttle throttle;
  private final Sessions sessions;
  private final LookOut lookOut;
  private final Deadlines deadlines;
  private final HeartbeatLoop heartbeat;
  private final Sweeper sweeper;
  private final Outbox outbox;
  private final ExchangeLoop exchange;
  private final ReentrantLock stopping = new ReentrantLock();
  private boolean stopped;
  private volatile boolean running;
  private boolean hurried;
  private Store.@Nullable Subscription wakeUps;

  Worker(
      Store plain,
      Codec codec,
      WorkerSettings settings,
      Map<String, Handling<?, ?>> handlings,
      QueueOrder queues,
      FileLimits limits,
      List<WorkerListener> listeners) {
    this.settings = settings;
    store = new TimedStore(plain);
    this.queues = queues;
    Signal signal = new Signal();
    telemetry = new Telemetry(listeners);
    throttle = new Throttle(settings);
    lookOut = new LookOut(settings.pollInterval(), signal);
    sessions = new Sessions(store, request(settings, handlings, queues, limits), signal, telemetry);
    deadlines = new Deadlines(sessions);
    sweeper = new Sweeper(settings, store, lookOut, telemetry);
    EndedAttempts ended = new EndedAttempts(signal);
    Standbys standbys = new Standbys();
    Runner runner = new Runner(handlings, codec, store, deadlines, ended, standbys, telemetry);
    outbox = new Outbox(runner, standbys, telemetry);
    exchange =
        new ExchangeLoop(
            store, sessions, queues, outbox, standbys, throttle, lookOut, sweeper, telemetry);
    heartbeat =
        new HeartbeatLoop(
            store,
            sessions,
            () -> throttle.capacity(outbox.inFlight()),
            settings.heartbeatInterval());
  }

  private static SessionRequest request(
      WorkerSettings settings,
      Map<String, Handling<?, ?>> handlings,
      QueueOrder queues,
      FileLimits limits) {
    List<SessionRequest.Handled> handled =
        handlings.values().stream()
            .<SessionRequest.Handled>map(handling -> handling.handled(limits))
            .toList();
    return new SessionRequest(
        settings.name(), handled, queues.names(), settings.lease(), settings.maxConcurrentTasks());
  }

  Worker start() {
    exchange.openFirst();
    if (settings.wakeUps()) {
      wakeUps = subscribe();
    }
    running = true;
    deadlines.start();
    heartbeat.start();
    sweeper.start();
    exchange.start();
    LOG.info("Worker {} started, reading {}", settings.name(), queues.names());
    return this;
  }

  public WorkerSettings settings() {
    return settings;
  }

  public WorkerStats stats() {
    return telemetry.stats(outbox.inFlight());
  }

  /** Whether it runs, when the store answered last, and how long that takes. */
  public WorkerHealth health() {
    return store.health(running);
  }

  /**
   * Claims no more, waits for running handlers as long as the settings say, then interrupts them
   * and gives their tasks back without spending an attempt; those past their timeout have failed.
   * Returns when all outcomes are handed in and the session is left. Calling it again is fine and
   * waits for the first call.
   */
  public void stop() {
    stopping.lock();
    try {
      if (!stopped) {
        stopped = true;
        running = false;
        stopOnce();
      }
    } finally {
      stopping.unlock();
    }
  }

  /** Stops it. */
  @Override
  public void close() {
    stop();
  }

  private void stopOnce() {
    exchange.drain();
    if (!await(exchange::awaitDrained, settings.stopTimeout())) {
      stopHandlers();
    }
    exchange.leave(settings.lease());
    await(exchange::join, settings.lease().plus(THREAD_END));
    if (wakeUps != null) {
      wakeUps.close();
    }
    List<Loop> loops = List.of(exchange, heartbeat, sweeper, deadlines);
    loops.forEach(Loop::end);
    loops.forEach(loop -> await(loop::join, THREAD_END));
    LOG.info("Worker {} stopped", settings.name());
    if (hurried) {
      Thread.currentThread().interrupt();
    }
  }

  private void stopHandlers() {
    LiveSession session = sessions.current();
    if (session == null) {
      return;
    }
    session.running().forEach(Attempt::stop);
    if (await(exchange::awaitDrained, grace())) {
      return;
    }
    List<Attempt> deaf = List.copyOf(session.running());
    if (!deaf.isEmpty()) {
      deaf.forEach(Attempt::leaveBehind); // the store takes the rest back with the session
      LOG.warn(
          "Worker {} leaves {} handlers behind that did not react to the interrupt: {}",
          settings.name(),
          deaf.size(),
          deaf.stream().limit(NAMED_IN_LOG).map(Attempt::toString).collect(joining(", ")));
    }
  }

  /** How long interrupted handlers have to clean up. */
  private Duration grace() {
    Duration part = settings.stopTimeout().dividedBy(GRACE_PART);
    Duration atLeast = part.compareTo(SHORTEST_GRACE) < 0 ? SHORTEST_GRACE : part;
    return atLeast.compareTo(LONGEST_GRACE) > 0 ? LONGEST_GRACE : atLeast;
  }

  private interface Wait {
    boolean upTo(Duration longest) throws InterruptedException;
  }

  /** Waits; an interrupt of the caller hurries this wait and those after it, but skips none. */
  private boolean await(Wait wait, Duration longest) {
    try {
      return wait.upTo(hurried ? SHORTEST_GRACE : longest);
    } catch (InterruptedException e) {
      hurried = true;
      return false;
    }
  }

  private Store.@Nullable Subscription subscribe() {
    try {
      Store.Subscription subscription = store.onWork(this::woken);
      lookOut.hearing(subscription::heard);
      return subscription;
    } catch (StoreException e) {
      LOG.warn("Worker {} hears no wake-ups and polls: {}", settings.name(), e.getMessage());
      return null;
    }
  }

  private void woken(WakeUp wakeUp) {
    if (!queues.reads(wakeUp.queue())) {
      return;
    }
    if (wakeUp.now()) {
      lookOut.hint();
    } else {
      sweeper.due(wakeUp.in());
    }
  }
}
