package dev.berth.task;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class TaskIdTest {

  @Test
  void freshIdsSortInTheOrderTheyWereMade() {
    List<TaskId> ids = Stream.generate(TaskId::next).limit(20_000).toList();

    assertThat(ids).isSorted().doesNotHaveDuplicates();
  }

  @Test
  void aFreshIdIsAUuidV7OfThisMoment() {
    TaskId id = TaskId.next();

    assertThat(id.value().version()).isEqualTo(7);
    assertThat(id.value().variant()).isEqualTo(2);
    assertThat(id.value().getMostSignificantBits() >>> 16)
        .isCloseTo(System.currentTimeMillis(), within(60_000L));
  }

  @Test
  void aNameAlwaysGivesTheSameId() {
    assertThat(TaskId.named("order-42")).isEqualTo(TaskId.named("order-42"));
    assertThat(TaskId.named("order-42")).isNotEqualTo(TaskId.named("order-43"));
  }

  @Test
  void anIdIsReadFromItsText() {
    TaskId id = TaskId.next();

    assertThat(TaskId.parse(id.toString())).isEqualTo(id);
    assertThatThrownBy(() -> TaskId.parse("order-42"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("\"order-42\" is not a task id");
  }
}
