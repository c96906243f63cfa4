package dev.berth.worker;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.random.RandomGenerator;

/**
 * In which order an exchange reads its queues: at random, a queue of weight 3 three times as likely
 * to be first as one of weight 1. So a busy queue cannot starve the others, and none needs a share
 * of its own while the others are empty.
 */
final class QueueOrder {

  private final List<Map.Entry<String, Integer>> weights;
  private final List<String> names;

  QueueOrder(Map<String, Integer> weights) {
    this.weights = List.copyOf(weights.entrySet());
    this.names = this.weights.stream().map(Map.Entry::getKey).toList();
  }

  List<String> names() {
    return names;
  }

  boolean reads(String queue) {
    return names.contains(queue);
  }

  /** Draws an order: exponential times with the weights as rates, the earliest first. */
  List<String> draw(RandomGenerator random) {
    if (names.size() == 1) {
      return names;
    }
    record Drawn(String queue, double time) {}
    List<Drawn> drawn = new ArrayList<>(weights.size());
    for (Map.Entry<String, Integer> weight : weights) {
      drawn.add(new Drawn(weight.getKey(), random.nextExponential() / weight.getValue()));
    }
    drawn.sort(Comparator.comparingDouble(Drawn::time));
    return drawn.stream().map(Drawn::queue).toList();
  }
}
