package dev.berth.benchmarks;

import dev.berth.Berth;
import dev.berth.task.TaskType;
import java.util.stream.IntStream;

/**
 * The payload of tasks that do nothing: about as long as that of a real one.
 *
 * @param text makes it longer
 */
record NoOp(int number, String text) {

  static final TaskType<NoOp, Void> TYPE = TaskType.of("no_op", NoOp.class);

  private static final String TEXT = "the quick brown fox jumps over the lazy dog, again and again";

  static NoOp of(int number) {
    return new NoOp(number, TEXT);
  }

  static void submit(Berth berth, int count) {
    submit(berth, TYPE, count);
  }

  static void submit(Berth berth, TaskType<NoOp, Void> type, int count) {
    berth.submitAll(type, IntStream.range(0, count).mapToObj(NoOp::of));
  }
}
