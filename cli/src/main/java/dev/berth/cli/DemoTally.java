package dev.berth.cli;

import dev.berth.store.Claim;
import dev.berth.task.Outcome;
import dev.berth.worker.WorkerListener;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import org.HdrHistogram.ConcurrentHistogram;
import org.HdrHistogram.Histogram;

/** Counts by task type what a worker does, and how long tasks waited for their first start. */
final class DemoTally implements WorkerListener {

  /** The field of a task's metadata that says in which round it was submitted. */
  static final String ROUND = "round";

  private final Map<String, Counts> types = new ConcurrentHashMap<>();
  private final Map<String, Long> roundsBegan = new ConcurrentHashMap<>();

  /** The counts of one type. */
  static final class Counts {
    private final LongAdder submitted = new LongAdder();
    private final LongAdder finished = new LongAdder();
    private final LongAdder retried = new LongAdder();
    private final LongAdder failed = new LongAdder();
    private final Histogram waits = new ConcurrentHistogram(3);

    long submitted() {
      return submitted.sum();
    }

    long finished() {
      return finished.sum();
    }

    long retried() {
      return retried.sum();
    }

    long failed() {
      return failed.sum();
    }

    /** The wait that so many percent of the tasks did not exceed. */
    Duration waited(double percent) {
      return Duration.ofNanos(TimeUnit.MICROSECONDS.toNanos(waits.getValueAtPercentile(percent)));
    }
  }

  /** Waits of the tasks of this round count from now, by the clock of this process. */
  void roundBegins(String round) {
    roundsBegan.put(round, System.nanoTime());
  }

  void submitted(String type, long count) {
    of(type).submitted.add(count);
  }

  Counts of(String type) {
    return types.computeIfAbsent(type, name -> new Counts());
  }

  long submitted() {
    return types.values().stream().mapToLong(Counts::submitted).sum();
  }

  @Override
  public void started(Claim claim) {
    Long began = roundsBegan.get(claim.metadata().getOrDefault(ROUND, ""));
    if (claim.attempt() == 1 && began != null) {
      long waited = TimeUnit.NANOSECONDS.toMicros(System.nanoTime() - began);
      of(claim.type()).waits.recordValue(waited);
    }
  }

  @Override
  public void ended(Claim claim, Outcome outcome, Duration ran) {
    Counts counts = of(claim.type());
    switch (outcome) {
      case Outcome.Finished finished -> counts.finished.increment();
      case Outcome.Retrying retrying -> counts.retried.increment();
      case Outcome.Failed failed -> counts.failed.increment();
      case Outcome.Released released -> {}
      case Outcome.Cancelled cancelled -> {}
    }
  }

  /** Its outcome was counted but not recorded; the task runs again and counts then. */
  @Override
  public void stale(Claim claim) {
    of(claim.type()).finished.decrement();
  }
}
