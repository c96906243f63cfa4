package dev.berth.task;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TaskTypeTest {

  private final TaskType<String, Void> type = TaskType.of("send_email", String.class);

  @Test
  void hasDefaults() {
    assertThat(type.queue()).isEqualTo("default");
    assertThat(type.priority()).isEqualTo(5);
    assertThat(type.retry()).isEqualTo(Retry.DEFAULT);
    assertThat(type.timeout()).isNull();
    assertThat(type.retention()).isEqualTo(Retention.DEFAULT);
    assertThat(type.maxCrashes()).isEqualTo(5);
    assertThat(type).hasToString("send_email");
  }

  @Test
  void eachMethodChangesOneThing() {
    TaskType<String, Integer> changed =
        type.returning(Integer.class)
            .queue("mail")
            .priority(9)
            .retry(Retry.never())
            .timeout(Duration.ofSeconds(1))
            .keep(Retention.NONE)
            .maxCrashes(1);
    assertThat(changed)
        .isEqualTo(
            new TaskType<>(
                "send_email",
                String.class,
                Integer.class,
                "mail",
                9,
                Retry.never(),
                Duration.ofSeconds(1),
                Retention.NONE,
                1,
                TypeLimits.none()));
  }

  @Test
  void nonsenseIsRefused() {
    assertThatThrownBy(() -> type.priority(10)).hasMessageContaining("Priority 10");
    assertThatThrownBy(() -> type.priority(-1)).hasMessageContaining("Priority -1");
    assertThatThrownBy(() -> type.timeout(Duration.ZERO))
        .hasMessage("The timeout of send_email must be longer than zero");
    assertThatThrownBy(() -> type.maxCrashes(0)).hasMessageContaining("at least 1");
    assertThatThrownBy(() -> Retention.days(-1, 0)).hasMessageContaining("0 to 3650 days");
  }

  @ParameterizedTest
  @ValueSource(strings = {"a", "send_email", "Billing: höchste Stufe/1", "邮件"})
  void aNameIsAnythingReadable(String name) {
    assertThat(TaskType.of(name, String.class).name()).isEqualTo(name);
    assertThat(type.queue(name).queue()).isEqualTo(name);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", " ", "a\nb", "a\0b"})
  void aNameThatCannotBeReadIsRefused(String name) {
    assertThatThrownBy(() -> TaskType.of(name, String.class))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("task type");
    assertThatThrownBy(() -> type.queue(name)).hasMessageContaining("queue");
  }

  @Test
  void aNameHasAtMost200Characters() {
    assertThat(Names.check("queue", "x".repeat(200))).hasSize(200);
    assertThatThrownBy(() -> Names.check("queue", "x".repeat(201)))
        .hasMessageContaining("has 201 characters; at most 200 are allowed");
  }
}
