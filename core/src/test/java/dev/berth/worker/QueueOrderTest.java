package dev.berth.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

class QueueOrderTest {

  @Test
  void aQueueIsFirstAsOftenAsItsWeightSays() {
    QueueOrder order = new QueueOrder(Map.of("a", 6, "b", 3, "c", 1));
    Random random = new Random(42);
    int rounds = 20_000;
    int a = 0;
    int b = 0;
    for (int i = 0; i < rounds; i++) {
      List<String> drawn = order.draw(random);
      assertThat(drawn).containsExactlyInAnyOrder("a", "b", "c");
      a += drawn.getFirst().equals("a") ? 1 : 0;
      b += drawn.getFirst().equals("b") ? 1 : 0;
    }
    assertThat(a / (double) rounds).isCloseTo(0.6, within(0.02));
    assertThat(b / (double) rounds).isCloseTo(0.3, within(0.02));
  }

  @Test
  void oneQueueIsAlwaysFirst() {
    QueueOrder order = new QueueOrder(Map.of("a", 1));
    assertThat(order.draw(new Random(1))).containsExactly("a");
    assertThat(order.reads("a")).isTrue();
    assertThat(order.reads("b")).isFalse();
  }
}
