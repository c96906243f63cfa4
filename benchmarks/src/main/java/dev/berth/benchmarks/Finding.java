package dev.berth.benchmarks;

import static java.util.Objects.requireNonNull;

import dev.berth.benchmarks.plot.Bar;
import org.jspecify.annotations.Nullable;

/** One value that a scenario found, with all its rounds. A ratio has no unit. */
record Finding(String name, String unit, Samples samples, @Nullable Target target, String means) {

  double median() {
    return samples.median();
  }

  /** As people read it; nothing where there was one round. */
  String spread() {
    return samples.count() > 1 ? Text.percent(samples.spread()) : "";
  }

  boolean missed() {
    return target != null && !target.met(median());
  }

  /** The target and whether it is met; nothing where there is none. */
  String verdict() {
    return target == null ? "" : target + (missed() ? ", MISSED" : ", met");
  }

  /** Against the target, which it must have. */
  Bar bar() {
    Target goal = requireNonNull(target);
    Samples parts = samples.map(value -> value / goal.value());
    return new Bar(
        name,
        means,
        Text.number(median()),
        goal.symbol(),
        goal.met(median()),
        parts.median(),
        parts.percentile(0),
        parts.max());
  }
}
