package dev.berth.benchmarks;

import static java.util.Objects.requireNonNull;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Variants measured in turn, round by round, so that a busy moment of the machine hits all of them
 * alike. Every second round goes through them backwards: what one variant leaves behind (dirty
 * pages, a checkpoint) is not always to the cost of the same one.
 */
final class Rounds {

  /** One measurement, such as a rate. */
  @FunctionalInterface
  interface Variant {
    double measure() throws Exception;
  }

  private record Measured(String name, Variant variant, List<Double> values) {}

  private final Map<String, Measured> variants = new LinkedHashMap<>();
  private final Bench bench;

  Rounds(Bench bench) {
    this.bench = bench;
  }

  Rounds variant(String name, Variant variant) {
    variants.put(name, new Measured(name, variant, new ArrayList<>()));
    return this;
  }

  /** Measures every variant once for nothing. */
  Rounds warmUp() throws Exception {
    bench.warmUp(() -> {
      for (Measured each : variants.values()) {
        each.variant().measure();
      }
    });
    return this;
  }

  Rounds run(int count) throws Exception {
    return run(count, count, Duration.ZERO);
  }

  /** Between so many rounds and so many: when the time is up, no further one begins. */
  Rounds run(int least, int count, Duration time) throws Exception {
    long began = System.nanoTime();
    for (int round = 1; round <= count; round++) {
      if (round > least && System.nanoTime() - began > time.toNanos()) {
        bench.say("no more rounds: %d s are over".formatted(time.toSeconds()));
        break;
      }
      List<Measured> order = List.copyOf(variants.values());
      for (Measured each : round % 2 == 0 ? order.reversed() : order) {
        double value = each.variant().measure();
        each.values().add(value);
        bench.say(
            "round %d of %d, %s: %s".formatted(round, count, each.name(), Text.number(value)));
      }
    }
    return this;
  }

  Samples samples(String name) {
    return new Samples(values(name));
  }

  /** The first variant in parts of the second, round by round. */
  Samples ratio(String name, String base) {
    List<Double> above = values(name);
    List<Double> below = values(base);
    List<Double> ratios = new ArrayList<>();
    for (int round = 0; round < above.size(); round++) {
      ratios.add(above.get(round) / below.get(round));
    }
    return new Samples(ratios);
  }

  private List<Double> values(String name) {
    return requireNonNull(variants.get(name), name).values();
  }
}
