package dev.berth.examples;

import dev.berth.Berth;
import dev.berth.limit.Limit;
import dev.berth.task.TaskType;
import dev.berth.worker.Handler;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.function.Function;
import java.util.stream.IntStream;

/** At most so many at once: of a type, for each customer, and of two types together. */
public final class LimitMain {

  record Import(String customer) {}

  record Scene(int number) {}

  /** How many ran at once, by whatever name; the most is kept. */
  private static final Map<String, Integer> RUNNING = new ConcurrentHashMap<>();

  private static final Map<String, Integer> PEAKS = new ConcurrentHashMap<>();

  private LimitMain() {}

  public static void main(String[] arguments) throws Exception {
    var gpu = Limit.of("gpu", 2);
    var render = TaskType.of("render", Scene.class).under(gpu);
    var train = TaskType.of("train", Scene.class).under(gpu, 2); // takes both slots
    var load = TaskType.of("load", Import.class).limit(3).limitPer("customer", Import::customer, 1);
    var done = new CountDownLatch(40);

    try (var berth = Berth.open("memory:");
        var worker =
            berth
                .worker()
                .handle(render, counted(done, scene -> "gpu"))
                .handle(train, counted(done, scene -> "gpu"))
                .handle(load, counted(done, file -> "customer " + file.customer()))
                .start()) {
      berth.submitAll(render, IntStream.range(0, 15).mapToObj(Scene::new));
      berth.submitAll(train, IntStream.range(0, 5).mapToObj(Scene::new));
      berth.submitAll(load, IntStream.range(0, 10).mapToObj(i -> new Import("ada")));
      berth.submitAll(load, IntStream.range(0, 10).mapToObj(i -> new Import("bob")));
      done.await();
      PEAKS.forEach((name, peak) -> System.out.println("At once for " + name + ": " + peak));

      // Limits are data: anybody may change the number, all workers obey it at once.
      berth.limits().set(gpu.key(), 0);
      var waiting = berth.submit(render, new Scene(16));
      var view = berth.reader().limits().getFirst();
      System.out.printf("%s: %d slots, %d waiting%n", view.key(), view.slots(), view.waiting());
      berth.limits().reset(gpu.key());
      berth.await(render, waiting, Duration.ofSeconds(10));
      System.out.println("The code's number counts again: the task has ended");
    }
  }

  private static <P> Handler<P> counted(CountDownLatch done, Function<P, String> name) {
    return (payload, task) -> {
      int now = RUNNING.merge(name.apply(payload), 1, Integer::sum);
      PEAKS.merge(name.apply(payload), now, Math::max);
      Thread.sleep(10); // the work
      RUNNING.merge(name.apply(payload), -1, Integer::sum);
      done.countDown();
    };
  }
}
