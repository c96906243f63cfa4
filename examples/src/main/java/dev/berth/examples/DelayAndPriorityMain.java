package dev.berth.examples;

import dev.berth.Berth;
import dev.berth.task.TaskType;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;

/** A task that is due later, and tasks that pass others in the line. */
public final class DelayAndPriorityMain {

  record Note(String text) {}

  private DelayAndPriorityMain() {}

  public static void main(String[] arguments) throws Exception {
    var note = TaskType.of("note", Note.class);
    var done = new CountDownLatch(4);

    try (var berth = Berth.open("memory:")) {
      berth.submit(note, new Note("due in 300 ms"), o -> o.delay(Duration.ofMillis(300)));
      berth.submit(note, new Note("priority 1"), o -> o.priority(1));
      berth.submit(note, new Note("no priority said: 5"));
      berth.submit(note, new Note("priority 9"), o -> o.priority(9));

      // One task at a time, so that the order can be seen.
      try (var worker =
          berth
              .worker()
              .maxConcurrentTasks(1)
              .handle(
                  note,
                  (payload, task) -> {
                    System.out.println(payload.text());
                    done.countDown();
                  })
              .start()) {
        done.await();
      }
    }
  }
}
