package dev.berth.examples;

import dev.berth.Berth;
import dev.berth.limit.Limit;
import dev.berth.task.TaskType;
import java.time.Duration;

/** A slot for code that is no task: it shares the limit with tasks. */
public final class SlotMain {

  record Scene(int number) {}

  private SlotMain() {}

  public static void main(String[] arguments) throws Exception {
    var gpu = Limit.of("gpu", 1);
    var render = TaskType.of("render", Scene.class).under(gpu);

    try (var berth = Berth.open("memory:");
        var worker =
            berth
                .worker()
                .handle(render, (scene, task) -> System.out.println("The task has the GPU"))
                .start()) {
      var limits = berth.limits();
      try (var slot = limits.acquire(gpu, Duration.ofSeconds(5))) {
        System.out.println("We have the GPU, proved by token " + slot.token());
        System.out.println("Another slot is free: " + limits.tryAcquire(gpu).isPresent());
        berth.submit(render, new Scene(1));
        var view = limits.find(gpu.key()).orElseThrow();
        System.out.printf("%s: %d of %d in use%n", view.key(), view.used(), view.slots());
      }
      var second = berth.submit(render, new Scene(2));
      berth.await(render, second, Duration.ofSeconds(10));
      System.out.println("Tasks finished: " + worker.stats().finished());
    }
  }
}
