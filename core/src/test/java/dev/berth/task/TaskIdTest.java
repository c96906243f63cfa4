package dev.berth.task;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.List;
import java.util.UUID;
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
    assertThat(TaskId.named("mail", "order-42")).isEqualTo(TaskId.named("mail", "order-42"));
    assertThat(TaskId.named("mail", "order-42")).isNotEqualTo(TaskId.named("mail", "order-43"));
    assertThat(TaskId.named("mail", "order-42").value().version()).isEqualTo(3);
    assertThat(TaskId.named("mail", "order-42").value().variant()).isEqualTo(2);
  }

  @Test
  void eachTypeHasItsOwnIdOfAName() {
    UUID mail = TaskId.named("mail", "order-42").value();
    UUID ship = TaskId.named("ship", "order-42").value();

    assertThat(mail).isNotEqualTo(ship);
    assertThat(mail.getMostSignificantBits()).isEqualTo(ship.getMostSignificantBits());
  }

  @Test
  void anIdIsReadFromItsText() {
    TaskId id = TaskId.next();

    assertThat(TaskId.parse(id.toString())).isEqualTo(id);
    assertThatThrownBy(() -> TaskId.parse("order-42"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("\"order-42\" is not a task id");
  }

  /** They are fit as names of tasks. */
  @Test
  void textThatOnlyLooksLikeAnIdIsNone() {
    assertThatThrownBy(() -> TaskId.parse("2026-11-18-12-30"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("is not a task id");
    assertThat(TaskId.parse("0195F0A0-0000-7000-8000-00000000002A").value())
        .hasToString("0195f0a0-0000-7000-8000-00000000002a");
  }
}
