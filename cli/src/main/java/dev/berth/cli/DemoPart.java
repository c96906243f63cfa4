package dev.berth.cli;

import dev.berth.Berth;
import dev.berth.task.SubmitOptions;
import dev.berth.task.TaskType;
import dev.berth.worker.WorkerBuilder;
import java.util.function.Consumer;
import java.util.function.IntFunction;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;

/**
 * One type of the demo's tasks.
 *
 * @param percent how much of the demo is of this type
 * @param payload the payload of the task with this number
 * @param handler gives a worker the handler of the type
 */
record DemoPart<P>(
    TaskType<P, ?> type, int percent, IntFunction<P> payload, Consumer<WorkerBuilder> handler) {

  String name() {
    return type.name();
  }

  /** Submits the tasks numbered from one to below the other. */
  long submit(Berth berth, int from, int to, UnaryOperator<SubmitOptions> options) {
    return berth.submitAll(type, IntStream.range(from, to).mapToObj(payload), options);
  }
}
