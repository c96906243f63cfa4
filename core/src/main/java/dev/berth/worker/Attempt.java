package dev.berth.worker;

import static java.util.Objects.requireNonNull;

import dev.berth.store.Claim;
import dev.berth.store.Ended;
import dev.berth.store.Lease;
import dev.berth.task.Outcome;
import dev.berth.task.SubmitOptions;
import dev.berth.task.TaskId;
import dev.berth.task.TaskType;
import dev.berth.value.Texts;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * One run of a claimed task, from its claim until its outcome is durable. Someone else may ask it
 * to stop at any moment; the phase decides who was first, the handler or the one who stops it.
 */
final class Attempt implements RunningTask {

  /** The first reason to stop counts, except that a lost lease goes before all others. */
  enum Phase {
    RUNNING,
    CANCELLED,
    TIMED_OUT,
    /** The worker stops and the handler has used up the time to finish. */
    STOPPED,
    /** The task belongs to others: whatever the handler does, there is no outcome. */
    LOST,
    /** The worker has left the handler behind and said that it timed out: no more comes of it. */
    GIVEN_UP,
    ENDED
  }

  private static final int LONGEST_PROGRESS = 1_000;

  private final Claim claim;
  private final LiveSession session;
  private final Runner runner;
  private final AtomicReference<Phase> phase = new AtomicReference<>(Phase.RUNNING);
  private volatile long handledSince;
  private volatile long deadline = Ticks.NEVER;
  private volatile @Nullable String progress;
  private @Nullable String progressTold;
  private volatile @Nullable Thread thread;
  private @Nullable Outcome outcome;
  private volatile long began = Ticks.NEVER;
  private long ended;
  private long startBy = Ticks.NEVER;
  private volatile @Nullable Attempt heir;
  private boolean handedIn;

  /** How much room it takes, as the outbox counts it. */
  private long size;

  /** The one below in {@link EndedAttempts}. */
  @Nullable Attempt next;

  Attempt(Claim claim, LiveSession session, Runner runner) {
    this.claim = claim;
    this.session = session;
    this.runner = runner;
  }

  Claim claim() {
    return claim;
  }

  Lease lease() {
    return claim.lease();
  }

  LiveSession session() {
    return session;
  }

  long size() {
    return size;
  }

  /** It takes so much more room. */
  void grow(long more) {
    size += more;
  }

  /** What to hand in, once it has ended; null where there is nothing to hand in. */
  @Nullable Outcome outcome() {
    return outcome;
  }

  void outcome(@Nullable Outcome value) {
    outcome = value;
  }

  /** Whether its handler was started. */
  boolean ran() {
    return began != Ticks.NEVER;
  }

  void began(long tick) {
    began = tick;
  }

  /**
   * @return how long it ran
   */
  long ended(long tick) {
    ended = tick;
    return tick - began;
  }

  /** Until when a standby may start. */
  long startBy() {
    return startBy;
  }

  void startBy(long tick) {
    startBy = tick;
  }

  /** The standby that went on in its slots, if any. */
  @Nullable Attempt heir() {
    return heir;
  }

  void heir(Attempt standby) {
    heir = standby;
  }

  /** It is part of the next call. */
  void handIn() {
    handedIn = true;
  }

  /**
   * What the store is told, once this and all that go with it are marked.
   *
   * @param standbys how many more of its lane are wanted
   */
  Ended told(long now, int standbys) {
    Attempt last = heir;
    while (last != null && last.handedIn) {
      last = last.heir;
    }
    return new Ended(
        lease(),
        requireNonNull(outcome),
        claim.standby() && ran() ? Duration.ofNanos(now - began) : null,
        heir == null ? null : Duration.ofNanos(now - ended),
        last == null ? null : new Ended.Heir(last.lease(), Duration.ofNanos(now - last.began)),
        standbys);
  }

  /** The handler is about to run: its timeout counts from here. */
  void handled(long tick) {
    handledSince = tick;
  }

  long handledSince() {
    return handledSince;
  }

  long deadline() {
    return deadline;
  }

  /** How long the handler was allowed to run. */
  Duration allowed() {
    return Duration.ofNanos(deadline - handledSince);
  }

  void deadline(long tick) {
    deadline = tick;
  }

  /** Where the handler runs; known before anyone can ask the attempt to stop. */
  void thread(Thread runs) {
    thread = runs;
  }

  /** Interrupts the handler, unless it was first. */
  void stop(Phase reason) {
    if (phase.compareAndSet(Phase.RUNNING, reason)) {
      interrupt();
    }
  }

  /** The worker stops: a handler whose time was up all the same has timed out. */
  void stop() {
    stop(deadline <= Ticks.now() ? Phase.TIMED_OUT : Phase.STOPPED);
  }

  /**
   * The worker does not wait for the handler any longer. What is past its timeout has failed; the
   * others belong to whoever claims them next.
   */
  void leaveBehind() {
    if (phase.compareAndSet(Phase.TIMED_OUT, Phase.GIVEN_UP)) {
      runner.giveUp(this);
    } else {
      lose();
    }
  }

  /** As {@code stop}, and whatever else was about to be its outcome is void. */
  void lose() {
    Phase before = phase.getAndUpdate(now -> over(now) ? now : Phase.LOST);
    if (!over(before)) {
      interrupt();
    }
  }

  /** The handler is over; says in which phase. From here on nobody interrupts. */
  Phase end() {
    return phase.getAndUpdate(now -> over(now) ? now : Phase.ENDED);
  }

  /** Whether it came out before its handler was over. */
  boolean givenUp() {
    return phase.get() == Phase.GIVEN_UP;
  }

  private static boolean over(Phase phase) {
    return phase == Phase.ENDED || phase == Phase.GIVEN_UP;
  }

  private void interrupt() {
    Thread runs = thread;
    if (runs != null) {
      runs.interrupt();
    }
  }

  /** What the handler said since the last call of {@link #progressTold}, or null. */
  @Nullable String freshProgress() {
    String said = progress;
    return said == null || said.equals(progressTold) ? null : said;
  }

  /** The heartbeat has carried this text. */
  void progressTold(String text) {
    progressTold = text;
  }

  @Override
  public TaskId id() {
    return claim.lease().task();
  }

  @Override
  public int attempt() {
    return claim.attempt();
  }

  @Override
  public long token() {
    return claim.lease().token();
  }

  @Override
  public Map<String, String> metadata() {
    return claim.metadata();
  }

  @Override
  public Optional<Duration> timeLeft() {
    long at = deadline;
    return at == Ticks.NEVER
        ? Optional.empty()
        : Optional.of(Duration.ofNanos(Math.max(0, at - Ticks.now())));
  }

  @Override
  public void extend(Duration fromNow) {
    if (!fromNow.isPositive()) {
      throw new IllegalArgumentException("A timeout can be moved ahead only, not by " + fromNow);
    }
    runner.watch(this, Ticks.now(), fromNow);
  }

  @Override
  public void progress(String text) {
    progress = Texts.clean(text, LONGEST_PROGRESS);
  }

  @Override
  public boolean stopping() {
    return phase.get() != Phase.RUNNING;
  }

  @Override
  public <R> @Nullable R resultOf(String step, TaskType<?, R> type) {
    return runner.resultOf(this, step, type);
  }

  @Override
  public <P> TaskId submit(TaskType<P, ?> type, P payload, UnaryOperator<SubmitOptions> options) {
    return runner.submit(type, payload, options.apply(SubmitOptions.DEFAULT));
  }

  @Override
  public String toString() {
    return claim.type() + " " + id();
  }
}
