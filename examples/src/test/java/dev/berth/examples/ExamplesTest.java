package dev.berth.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Every example runs and prints what it is there to show. */
@Timeout(120)
class ExamplesTest {

  @FunctionalInterface
  private interface Example {
    void main(String[] arguments) throws Exception;
  }

  @Test
  void hello() throws Exception {
    assertThat(output(HelloMain::main)).contains("It finished with: Hello, Ada!");
  }

  @Test
  void retry() throws Exception {
    assertThat(output(RetryMain::main))
        .contains("Attempt 3 of https://example.org/flaky", "Finished: 2 failures")
        .contains("Attempt 1 of https://example.org/missing", "Not retried: the task is FAILED")
        .doesNotContain("Attempt 2 of https://example.org/missing");
  }

  @Test
  void delayAndPriority() throws Exception {
    assertThat(output(DelayAndPriorityMain::main).lines().toList())
        .isEqualTo(List.of("priority 9", "no priority said: 5", "priority 1", "due in 300 ms"));
  }

  @Test
  void limit() throws Exception {
    assertThat(output(LimitMain::main))
        .containsPattern("At once for gpu: [12]\n")
        .contains("At once for customer ada: 1", "At once for customer bob: 1")
        .contains("limit/gpu: 0 slots, 1 waiting", "the task has ended");
  }

  @Test
  void slot() throws Exception {
    assertThat(output(SlotMain::main))
        .contains("We have the GPU", "Another slot is free: false", "limit/gpu: 1 of 1 in use")
        .containsSubsequence("limit/gpu: 1 of 1 in use", "The task has the GPU");
  }

  @Test
  void schedule() throws Exception {
    assertThat(output(ScheduleMain::main))
        .containsSubsequence("Report of sales from ticker", "nightly: cron \"0 3 * * *\"")
        .contains("ticker: every PT0.2S", "nightly at 03:00", "nightly now: task ");
  }

  @Test
  void workflow() throws Exception {
    assertThat(output(WorkflowMain::main).lines().toList())
        .containsExactly(
            "Halted by step pack",
            "The step after it is PENDING",
            "Shipped with Receipt[reference=receipt-42]",
            "Packed: FINISHED");
  }

  @Test
  void readme() throws Exception {
    assertThat(output(ReadmeMain::main))
        .contains("Charged: Receipt[reference=receipt-42]", "To ada@example.org");
  }

  @Test
  void transaction() throws Exception {
    assertThat(output(TransactionMain::main))
        .contains("Committed:   the task is there: true")
        .contains("Rolled back: the task is there: false");
  }

  @Test
  void sqlTask() throws Exception {
    assertThat(output(SqlTaskMain::main))
        .contains("The sales: SqlResult[rows=1, result=[{sum=5050}]]", "Tasks finished: 1")
        .containsPattern("The salaries: [0-9A-Z]{5}: cannot set parameter \"role\"");
  }

  @Test
  void batch() throws Exception {
    assertThat(output(BatchMain::main)).contains("Submitted 20,000 tasks", "Ran them in ");
  }

  private static String output(Example example) throws Exception {
    var bytes = new ByteArrayOutputStream();
    PrintStream before = System.out;
    System.setOut(new PrintStream(bytes, true, StandardCharsets.UTF_8));
    try {
      example.main(new String[0]);
    } finally {
      System.setOut(before);
    }
    return bytes.toString(StandardCharsets.UTF_8);
  }
}
