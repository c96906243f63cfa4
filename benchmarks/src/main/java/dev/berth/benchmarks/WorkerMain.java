package dev.berth.benchmarks;

import dev.berth.Berth;
import dev.berth.worker.Worker;
import dev.berth.worker.WorkerListener;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A worker process that reads commands, one on a line, and answers each with a line of the same
 * name. It ends with its input.
 */
final class WorkerMain implements WorkerListener {

  static final String WORK = "work";
  static final String REST = "rest";

  /** Said without being asked: so many outcomes were recorded. */
  static final String ENDED = "ended";

  private final Berth berth;
  private @Nullable Worker worker;

  private WorkerMain(Berth berth) {
    this.berth = berth;
  }

  public static void main(String[] arguments) throws IOException {
    var in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    try (Berth berth = Berth.open(ChildJvm.database())) {
      WorkerMain main = new WorkerMain(berth);
      for (String command = in.readLine(); command != null; command = in.readLine()) {
        main.obey(command);
        ChildJvm.say(command, 1);
      }
      main.rest();
    }
  }

  private void obey(String command) {
    switch (command) {
      case WORK ->
          worker = berth.worker().handle(NoOp.TYPE, (payload, task) -> {}).listener(this).start();
      case REST -> rest();
      default -> throw new IllegalArgumentException(command);
    }
  }

  private void rest() {
    if (worker != null) {
      worker.close();
      worker = null;
    }
  }

  @Override
  public void exchanged(int asked, int claimed, int handedIn, Duration took) {
    if (handedIn > 0) {
      ChildJvm.say(ENDED, handedIn);
    }
  }
}
