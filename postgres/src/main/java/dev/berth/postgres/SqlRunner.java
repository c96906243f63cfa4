package dev.berth.postgres;

import dev.berth.task.Outcome;
import dev.berth.worker.Decider;
import dev.berth.worker.Decision;
import dev.berth.worker.RunningTask;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Runs SQL tasks. The statement runs on a thread of its own, which nobody interrupts: an interrupt
 * would cut the connection and leave the server at work. So a stop is asked of the server.
 */
final class SqlRunner implements Decider<String> {

  private final PostgresStore store;
  private final Door door;

  SqlRunner(PostgresStore store, Door door) {
    this.store = store;
    this.door = door;
  }

  @Override
  public Decision run(String launcher, RunningTask task) throws Exception {
    SqlAttempt attempt = new SqlAttempt(store, door, task.id(), task.token());
    FutureTask<Decision> running = new FutureTask<>(attempt);
    Thread.ofVirtual().name("berth sql " + task.id()).start(running);
    try {
      return running.get();
    } catch (InterruptedException e) {
      return stop(attempt, running);
    } catch (ExecutionException e) {
      throw failure(e);
    }
  }

  private static Decision stop(SqlAttempt attempt, FutureTask<Decision> running) throws Exception {
    attempt.cancel();
    try {
      return running.get(Deadline.GRACE.toSeconds(), TimeUnit.SECONDS);
    } catch (TimeoutException | InterruptedException e) {
      attempt.abort();
      return Decision.of(new Outcome.Released()); // refused by the store if it has committed
    } catch (ExecutionException e) {
      throw failure(e);
    }
  }

  private static Exception failure(ExecutionException e) {
    return e.getCause() instanceof Exception cause ? cause : e;
  }
}
