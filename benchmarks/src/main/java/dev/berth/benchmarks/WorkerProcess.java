package dev.berth.benchmarks;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.LongConsumer;

/** A worker process of its own that works and rests when told. See {@link WorkerMain}. */
final class WorkerProcess implements AutoCloseable {

  private static final String HEAP = "256m";
  private static final long PATIENCE_SECONDS = 60;

  private final ChildJvm child;
  private final LongConsumer ended;
  private final BlockingQueue<String> answers = new LinkedBlockingQueue<>();

  private WorkerProcess(ChildJvm child, LongConsumer ended) {
    this.child = child;
    this.ended = ended;
  }

  /** Starts a process that rests, and tells how many tasks each of its exchanges ended. */
  static WorkerProcess open(Bench bench, BenchDatabase database, LongConsumer ended)
      throws IOException {
    ChildJvm child = ChildJvm.start(bench.size(), WorkerMain.class, HEAP, database);
    WorkerProcess process = new WorkerProcess(child, ended);
    child.hear(process::heard);
    return process;
  }

  /** When this returns, its worker has started. */
  void work() throws IOException, InterruptedException {
    work(List.of(this));
  }

  /** All at the same time: when this returns, their workers have started. */
  static void work(List<WorkerProcess> processes) throws IOException, InterruptedException {
    ask(processes, WorkerMain.WORK);
  }

  /** When this returns, their workers have stopped. Each takes a while, so they do it together. */
  static void rest(List<WorkerProcess> processes) throws IOException, InterruptedException {
    ask(processes, WorkerMain.REST);
  }

  /** The CPU time that the process has used. */
  double cpuSeconds() {
    return child.cpuSeconds();
  }

  private static void ask(List<WorkerProcess> processes, String command)
      throws IOException, InterruptedException {
    for (WorkerProcess each : processes) {
      each.child.tell(command);
    }
    for (WorkerProcess each : processes) {
      each.awaitAnswer(command);
    }
  }

  private void awaitAnswer(String command) throws InterruptedException {
    String answer = answers.poll(PATIENCE_SECONDS, TimeUnit.SECONDS);
    if (!command.equals(answer)) {
      throw new IllegalStateException(
          "A worker process did not answer to \"%s\"%s"
              .formatted(
                  command, answer == null ? " in a minute" : ", but said \"" + answer + "\""));
    }
  }

  private void heard(String name, double value) {
    if (name.equals(WorkerMain.ENDED)) {
      ended.accept((long) value);
    } else {
      answers.add(name);
    }
  }

  @Override
  public void close() {
    child.close();
  }
}
