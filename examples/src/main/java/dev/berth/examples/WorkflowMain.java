package dev.berth.examples;

import dev.berth.Berth;
import dev.berth.task.Retry;
import dev.berth.task.TaskType;
import dev.berth.view.WorkflowView;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;

/** Steps that run one after another; one that fails holds the rest until somebody decides. */
public final class WorkflowMain {

  record Order(int number) {}

  record Receipt(String reference) {}

  private WorkflowMain() {}

  public static void main(String[] arguments) throws Exception {
    var charge = TaskType.of("charge", Order.class).returning(Receipt.class);
    var pack = TaskType.of("pack", Order.class).retry(Retry.never());
    var ship = TaskType.of("ship", Order.class).returning(String.class);
    var order = new Order(42);
    var boxes = new AtomicBoolean();

    try (var berth = Berth.open("memory:");
        var worker =
            berth
                .worker()
                .answer(charge, (payload, task) -> new Receipt("receipt-" + payload.number()))
                .handle(
                    pack,
                    (payload, task) -> {
                      if (!boxes.get()) {
                        throw new IllegalStateException("there is no box");
                      }
                    })
                .answer(ship, (payload, task) -> "with " + task.resultOf("charge", charge))
                .start()) {
      var steps =
          berth
              .workflow("order-42")
              .then("charge", charge, order)
              .then("pack", pack, order)
              .submit();
      // Whoever comes later may append; a step that is there already stays as it is.
      var last = berth.workflow("order-42").then("pack", pack, order).then("ship", ship, order);
      var shipped = last.submit().getLast();

      WorkflowView workflow = berth.reader().workflow("order-42").orElseThrow();
      while (workflow.state() != WorkflowView.State.HALTED) {
        Thread.sleep(10);
        workflow = berth.reader().workflow("order-42").orElseThrow();
      }
      System.out.println("Halted by step " + workflow.step());
      System.out.println("The step after it is " + berth.find(shipped).orElseThrow().state());

      boxes.set(true);
      berth.workflows().retry("order-42"); // or skip, or cancel
      System.out.println("Shipped " + berth.await(ship, shipped, Duration.ofSeconds(10)));
      System.out.println("Packed: " + berth.find(steps.get(1)).orElseThrow().state());
    }
  }
}
