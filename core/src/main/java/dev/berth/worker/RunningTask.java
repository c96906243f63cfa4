package dev.berth.worker;

import dev.berth.task.SubmitOptions;
import dev.berth.task.TaskId;
import dev.berth.task.TaskType;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** What a handler can see and do while it runs. */
public interface RunningTask {

  TaskId id();

  /** Which start this is, from 1. */
  int attempt();

  /** Grows with every claim of the task: a resource can refuse whoever comes with an older one. */
  long token();

  Map<String, String> metadata();

  /** How long the attempt may still run, if its type has a timeout. */
  Optional<Duration> timeLeft();

  /** Moves the timeout of this attempt so that it has this long from now. */
  void extend(Duration fromNow);

  /** Says how far it got, for people who watch; stored with the next heartbeat. */
  void progress(String text);

  /**
   * Whether this attempt should stop: cancelled, timed out, or its lease lost. The thread is
   * interrupted as well.
   */
  boolean stopping();

  /**
   * What an earlier step of the same workflow has returned; null where its type has no result. Asks
   * the store each time.
   *
   * @throws IllegalStateException if there is no such step, or it has not finished
   */
  <R> @Nullable R resultOf(String step, TaskType<?, R> type);

  /** Submits a further task, at once and whether or not this attempt succeeds. */
  <P> TaskId submit(TaskType<P, ?> type, P payload, UnaryOperator<SubmitOptions> options);

  /** Submits a further task, at once and whether or not this attempt succeeds. */
  default <P> TaskId submit(TaskType<P, ?> type, P payload) {
    return submit(type, payload, options -> options);
  }
}
