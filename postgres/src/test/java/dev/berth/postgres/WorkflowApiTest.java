package dev.berth.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.berth.Berth;
import dev.berth.TaskFailedException;
import dev.berth.Workflow;
import dev.berth.store.QuotaFullException;
import dev.berth.task.OnFailure;
import dev.berth.task.Retry;
import dev.berth.task.Step;
import dev.berth.task.TaskId;
import dev.berth.task.TaskType;
import dev.berth.view.WorkflowView.State;
import dev.berth.worker.Handler;
import dev.berth.worker.RunningTask;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Workflows as an application writes them. */
@Timeout(60)
class WorkflowApiTest {

  record Order(int number) {}

  record Receipt(String reference) {}

  private static final TaskType<Order, Receipt> CHARGE =
      TaskType.of("charge", Order.class).returning(Receipt.class).retry(Retry.never());
  private static final TaskType<Order, String> PACK =
      TaskType.of("pack", Order.class).returning(String.class).retry(Retry.never());
  private static final Order ORDER = new Order(42);

  private final TestDatabase database = TestDatabase.on(Servers.NEWEST);
  private final Berth berth = Berth.on(PostgresStore.of(database.pool()));

  @AfterEach
  void close() {
    berth.close();
    database.close();
  }

  @Test
  void aLaterStepReadsTheResultOfAnEarlierOne() throws Exception {
    List<TaskId> steps = order().submit();
    assertThat(steps)
        .containsExactly(Step.taskId("order-42", "charge"), Step.taskId("order-42", "pack"));
    try (var worker =
        berth
            .worker()
            .answer(CHARGE, (order, task) -> new Receipt("receipt-" + order.number()))
            .answer(PACK, (order, task) -> receipt(task).reference() + " is packed")
            .start()) {
      assertThat(berth.await(PACK, steps.get(1), Duration.ofSeconds(20)))
          .isEqualTo("receipt-42 is packed");
    }
    assertThat(berth.reader().workflow("order-42").orElseThrow().state()).isEqualTo(State.FINISHED);
  }

  private static Receipt receipt(RunningTask task) {
    Receipt receipt = task.resultOf("charge", CHARGE);
    assertThat(receipt).isNotNull();
    return receipt;
  }

  @Test
  void tenStepsRunInOrderUnderThreeWorkers() throws Exception {
    TaskType<Order, Void> step = TaskType.of("step", Order.class);
    AtomicInteger running = new AtomicInteger();
    List<Integer> ran = new CopyOnWriteArrayList<>();
    Handler<Order> handler =
        (order, task) -> {
          assertThat(running.incrementAndGet()).isOne();
          ran.add(order.number());
          running.decrementAndGet();
        };
    Workflow workflow = berth.workflow("order-42");
    for (int i = 0; i < 10; i++) {
      workflow = workflow.then("step " + i, step, new Order(i));
    }
    try (var one = berth.worker().handle(step, handler).start();
        var two = berth.worker().handle(step, handler).start();
        var three = berth.worker().handle(step, handler).start()) {
      List<TaskId> steps = workflow.submit();
      berth.await(step, steps.getLast(), Duration.ofSeconds(20));
    }
    assertThat(ran).containsExactly(0, 1, 2, 3, 4, 5, 6, 7, 8, 9);
  }

  @Test
  void aHundredWorkflowsRunAtOnce() throws Exception {
    TaskType<Order, Void> step = TaskType.of("step", Order.class);
    CountDownLatch all = new CountDownLatch(100);
    List<TaskId> last = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      last.add(
          berth
              .workflow("order-" + i)
              .then("first", step, ORDER)
              .then("second", step, ORDER)
              .submit()
              .getLast());
    }
    try (var worker =
        berth
            .worker()
            .handle(
                step,
                (order, task) -> {
                  all.countDown();
                  all.await(); // each waits for all the others
                })
            .start()) {
      for (TaskId id : last) {
        berth.await(step, id, Duration.ofSeconds(20));
      }
    }
  }

  @Test
  void aRepeatedSubmitIsOneWorkflow() {
    assertThat(order().submit()).isEqualTo(order().submit());
    assertThat(berth.workflow("order-42").then("pack", PACK, ORDER).submit())
        .containsExactly(Step.taskId("order-42", "pack"));
    assertThat(berth.reader().workflow("order-42").orElseThrow().size()).isEqualTo(2);
  }

  @Test
  void aResultThatIsNotThereSaysWhy() throws Exception {
    berth
        .workflow("order-42")
        .onFailure(OnFailure.CONTINUE)
        .then("charge", CHARGE, ORDER)
        .then("pack", PACK, ORDER)
        .submit();
    TaskId alone = berth.submit(PACK, ORDER);
    try (var worker =
        berth
            .worker()
            .answer(
                CHARGE,
                (order, task) -> {
                  throw new IllegalStateException("no money");
                })
            .answer(PACK, (order, task) -> receipt(task).reference())
            .start()) {
      assertThatExceptionOfType(TaskFailedException.class)
          .isThrownBy(() -> await(Step.taskId("order-42", "pack")))
          .withMessageContaining("Step \"charge\" has no result: it is failed");
      assertThatExceptionOfType(TaskFailedException.class)
          .isThrownBy(() -> await(alone))
          .withMessageContaining("is no step of a workflow that has a step \"charge\"");
    }
  }

  @Test
  void whatCannotBeSubmittedSaysWhy() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> berth.workflow(" "))
        .withMessage("A workflow needs a name, but it was blank");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> berth.workflow("order-42").then("", CHARGE, ORDER))
        .withMessage("A step needs a name, but it was blank");
    assertThatIllegalArgumentException()
        .isThrownBy(
            () -> berth.workflow("order-42").then("charge", CHARGE, ORDER, o -> o.id("mine")))
        .withMessageContaining("Step \"charge\" of workflow \"order-42\" cannot have an id");
    assertThatIllegalStateException()
        .isThrownBy(() -> berth.workflow("order-42").submit())
        .withMessageContaining("nothing to submit");
    assertThat(berth.reader().workflows(10)).isEmpty();
  }

  @Test
  void aRefusedStepIsSaid() {
    TaskType<Order, Void> ship = TaskType.of("ship", Order.class).quota(1);
    Workflow both = berth.workflow("order-42").then("ship", ship, ORDER).then("again", ship, ORDER);

    assertThatExceptionOfType(QuotaFullException.class)
        .isThrownBy(both::submit)
        .withMessageContaining("1 of 2 steps of workflow order-42 were not submitted");
    assertThat(berth.reader().workflow("order-42").orElseThrow().size()).isOne();
  }

  private Workflow order() {
    return berth.workflow("order-42").then("charge", CHARGE, ORDER).then("pack", PACK, ORDER);
  }

  private String await(TaskId id) throws InterruptedException {
    return berth.await(PACK, id, Duration.ofSeconds(20));
  }
}
