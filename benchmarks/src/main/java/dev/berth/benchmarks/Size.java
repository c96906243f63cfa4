package dev.berth.benchmarks;

/** How much is measured. */
public enum Size {
  /** A few hundred tasks: shows that a scenario works, not how fast. */
  TINY,
  /** Under a minute for each scenario, but for one that takes two. */
  QUICK,
  FULL;

  <T> T of(T tiny, T quick, T full) {
    return switch (this) {
      case TINY -> tiny;
      case QUICK -> quick;
      case FULL -> full;
    };
  }
}
