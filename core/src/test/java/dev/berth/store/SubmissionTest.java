package dev.berth.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.berth.limit.Lane;
import dev.berth.task.Due;
import dev.berth.task.TaskId;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class SubmissionTest {

  @Test
  void namesAndPriorityAreChecked() {
    assertThat(submission("mail", "default", 9, "{}", Map.of()).type()).isEqualTo("mail");
    assertRefused(() -> submission(" ", "default", 5, "{}", Map.of()), "task type needs a name");
    assertRefused(() -> submission("mail", "", 5, "{}", Map.of()), "queue needs a name");
    assertRefused(() -> submission("mail", "default", 10, "{}", Map.of()), "Priority 10");
  }

  @Test
  void noTextHoldsWhatAStoreCannotKeep() {
    for (String bad : List.of("\0", "\ud83d")) {
      assertRefused(() -> submission("mail", "default", 5, "\"" + bad + "\"", Map.of()), "payload");
      assertRefused(() -> submission("mail", "default", 5, "{}", Map.of("a", bad)), "metadata");
      assertRefused(() -> submission("mail", "default", 5, "{}", Map.of(bad, "a")), "metadata");
    }
  }

  private static Submission submission(
      String type, String queue, int priority, String payload, Map<String, String> metadata) {
    return new Submission(
        TaskId.next(), false, type, queue, priority, Due.NOW, payload, metadata, Lane.OPEN);
  }

  private static void assertRefused(Runnable making, String reason) {
    assertThatThrownBy(making::run)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(reason);
  }
}
