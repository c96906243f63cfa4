package dev.berth.examples;

import dev.berth.Berth;
import dev.berth.task.TaskType;
import java.time.Duration;

/** Submit a task, run it, wait for its result. In memory: no database is needed to try it. */
public final class HelloMain {

  record Greeting(String name) {}

  private HelloMain() {}

  public static void main(String[] arguments) throws Exception {
    var greet = TaskType.of("greet", Greeting.class).returning(String.class);

    try (var berth = Berth.open("memory:");
        var worker =
            berth
                .worker()
                .answer(greet, (greeting, task) -> "Hello, " + greeting.name() + "!")
                .start()) {
      var id = berth.submit(greet, new Greeting("Ada"));
      System.out.println("Submitted task " + id);

      String result = berth.await(greet, id, Duration.ofSeconds(10));
      System.out.println("It finished with: " + result);
    }
  }
}
