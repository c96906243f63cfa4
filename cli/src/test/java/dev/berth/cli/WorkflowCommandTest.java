package dev.berth.cli;

import static dev.berth.cli.Cli.berth;
import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.Berth;
import dev.berth.TaskFailedException;
import dev.berth.embedded.LocalPostgres;
import dev.berth.task.Retry;
import dev.berth.task.Step;
import dev.berth.task.TaskId;
import dev.berth.task.TaskType;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import tools.jackson.databind.JsonNode;

/** The commands for workflows, while one is halted: a step finished, one failed, one waits. */
@Timeout(60)
class WorkflowCommandTest {

  record Order(int number) {}

  private static final TaskType<Order, String> CHARGE =
      TaskType.of("charge", Order.class).returning(String.class);
  private static final TaskType<Order, Void> PACK =
      TaskType.of("pack", Order.class).retry(Retry.never());
  private static final String NAME = "order-42";

  private static LocalPostgres server;
  private static int databases;

  private final AtomicBoolean broken = new AtomicBoolean(true);
  private String url;
  private Berth berth;
  private AutoCloseable worker;

  @BeforeAll
  static void startServer() {
    server = LocalPostgres.start();
  }

  @AfterAll
  static void stopServer() {
    server.close();
  }

  @BeforeEach
  void halt() throws Exception {
    databases++;
    url = server.createDatabase("workflows_" + databases);
    berth = Berth.open(url);
    Order order = new Order(42);
    berth
        .workflow(NAME)
        .then("charge", CHARGE, order)
        .then("pack", PACK, order)
        .then("ship", PACK, order)
        .submit();
    worker =
        berth
            .worker()
            .answer(CHARGE, (payload, task) -> "receipt-" + payload.number())
            .handle(PACK, (payload, task) -> pack())
            .start();
    awaitEnd("pack");
  }

  private void pack() {
    if (broken.get()) {
      throw new IllegalStateException("no box");
    }
  }

  /** Waits until a step has ended, however it did. */
  private void awaitEnd(String step) throws InterruptedException {
    try {
      berth.await(PACK, Step.taskId(NAME, step), Duration.ofSeconds(30));
    } catch (TaskFailedException e) {
      assertThat(broken).isTrue();
    }
  }

  @AfterEach
  void stop() throws Exception {
    worker.close();
    berth.close();
  }

  @Test
  void showsTheWorkflowAsAWhole() {
    assertThat(workflow(NAME).text())
        .startsWith("Workflow order-42, 2 of 3 steps ended, is halted by step pack.")
        .containsPattern("charge +charge +FINISHED")
        .containsPattern("pack +pack +FAILED .*no box")
        .containsPattern("ship +pack +PENDING")
        .contains("berth workflow retry order-42");
    JsonNode json = workflow(NAME, "--json").json();
    assertThat(json.get("state").asString()).isEqualTo("HALTED");
    assertThat(json.get("step").asString()).isEqualTo("pack");
    assertThat(json.get("steps").asInt()).isEqualTo(3);
    assertThat(json.get("counts").get("finished").asInt()).isOne();
    assertThat(json.get("shown").get(0).get("result").asString()).isEqualTo("receipt-42");
  }

  @Test
  void listsWorkflows() {
    assertThat(workflow().text()).containsPattern("order-42 +HALTED +pack +2 +3");
    assertThat(workflow("--json").json().get(0).get("workflow").asString()).isEqualTo(NAME);
  }

  @Test
  void aHeldStepIsExplained() {
    TaskId ship = Step.taskId(NAME, "ship");
    assertThat(berth("explain", ship.toString(), "--db", url).text())
        .contains("It is held by its workflow order-42, which step pack has halted");
    assertThat(berth("task", "show", ship.toString(), "--db", url).text())
        .containsPattern("workflow +order-42")
        .containsPattern("step +ship");
  }

  @Test
  void skipsTheStepThatHalted() throws Exception {
    broken.set(false);
    assertThat(workflow("skip", NAME).text()).contains("Step pack is skipped.");

    awaitEnd("ship");
    assertThat(workflow(NAME).text())
        .contains("is finished.")
        .containsPattern("FAILED \\(skipped\\)");
    assertThat(workflow("skip", NAME, "pack").failure()).contains("was already skipped");
    assertThat(workflow("skip", NAME, "charge").failure()).contains("has finished already");
    assertThat(workflow("skip", NAME).failure()).contains("is finished, not halted: name the step");
  }

  @Test
  void retriesIt() throws Exception {
    broken.set(false);
    assertThat(workflow("retry", NAME).text()).contains("Workflow order-42 goes on.");

    awaitEnd("ship");
    assertThat(workflow(NAME).text()).contains("is finished.");
    assertThat(workflow("retry", NAME).failure()).contains("has nothing to retry");
  }

  @Test
  void retriesOneStep() throws Exception {
    broken.set(false);
    JsonNode json = workflow("retry", NAME, "pack", "--json").json();
    assertThat(json.get("applied").asString()).isEqualTo("DONE");

    awaitEnd("ship");
  }

  @Test
  void cancelsIt() {
    assertThat(workflow("cancel", NAME, "--reason", "not paid").text())
        .contains("Workflow order-42 is cancelled.");
    assertThat(workflow(NAME).text()).containsPattern("ship .*CANCELLED .*not paid");
    assertThat(workflow("cancel", NAME).failure())
        .contains("All steps of workflow order-42 have ended");
  }

  @Test
  void whatIsNotThereIsSaid() {
    assertThat(workflow("order-43").failure()).contains("There is no workflow order-43");
    assertThat(workflow("retry", "order-43").failure()).contains("There is no workflow order-43");
    assertThat(workflow("skip", NAME, "bill").failure()).contains("has no step bill");
    assertThat(workflow("retry", NAME, "bill").failure()).contains("has no step bill");
  }

  private Cli workflow(String... arguments) {
    String[] all = new String[arguments.length + 3];
    all[0] = "workflow";
    System.arraycopy(arguments, 0, all, 1, arguments.length);
    all[all.length - 2] = "--db";
    all[all.length - 1] = url;
    return berth(all);
  }
}
