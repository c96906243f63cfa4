package dev.berth.benchmarks;

import dev.berth.Berth;
import dev.berth.postgres.PostgresOptions;
import dev.berth.postgres.PostgresStoreProvider;
import dev.berth.task.Retention;
import dev.berth.task.TaskType;
import dev.berth.worker.Worker;
import dev.berth.worker.WorkerBuilder;
import org.jspecify.annotations.Nullable;

/** Berth itself, with larger batches than by default, measured by the same code as its peers. */
record BerthPeer(String name, Retention retention) implements Peer {

  /** As the peers have threads and batches for throughput. */
  static final int BATCH = 500;

  private static final int IN_FLIGHT = 4 * BATCH;

  /** The settings for throughput. */
  static WorkerBuilder fast(WorkerBuilder worker) {
    return worker.claimBatchSize(BATCH).maxConcurrentTasks(IN_FLIGHT);
  }

  static String fast() {
    return "claims up to %d at once, up to %,d in flight".formatted(BATCH, IN_FLIGHT);
  }

  @Override
  public String settings() {
    return "%s, ended tasks kept for %d days".formatted(fast(), retention.finishedDays());
  }

  @Override
  public int aboutPerSecond() {
    return 20_000;
  }

  @Override
  public boolean startsAtOnce() {
    return true;
  }

  @Override
  public Queue open(String url) {
    return new BerthQueue(
        Berth.on(PostgresStoreProvider.open(url, PostgresOptions.DEFAULT)),
        NoOp.TYPE.keep(retention));
  }

  private static final class BerthQueue implements Queue {

    private final Berth berth;
    private final TaskType<NoOp, Void> type;
    private @Nullable Worker worker;

    BerthQueue(Berth berth, TaskType<NoOp, Void> type) {
      this.berth = berth;
      this.type = type;
    }

    @Override
    public void submit(int tasks) {
      if (tasks == 1) {
        berth.submit(type, NoOp.of(1));
      } else {
        NoOp.submit(berth, type, tasks);
      }
    }

    @Override
    public void start(Runnable handler) {
      worker = fast(berth.worker()).handle(type, (payload, task) -> handler.run()).start();
    }

    @Override
    public String left() {
      return "select count(*) from berth_private.task";
    }

    @Override
    public void close() {
      try (berth) {
        if (worker != null) {
          worker.close();
        }
      }
    }
  }
}
