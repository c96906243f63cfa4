package dev.berth.benchmarks;

/** What a value should be. */
record Target(Bound bound, double value) {

  enum Bound {
    AT_LEAST,
    AT_MOST
  }

  static Target atLeast(double value) {
    return new Target(Bound.AT_LEAST, value);
  }

  static Target atMost(double value) {
    return new Target(Bound.AT_MOST, value);
  }

  boolean met(double measured) {
    return switch (bound) {
      case AT_LEAST -> measured >= value;
      case AT_MOST -> measured <= value;
    };
  }

  /** As it is printed, where letters beyond ASCII are welcome. */
  String symbol() {
    return (bound == Bound.AT_LEAST ? "\u2265 " : "\u2264 ") + Text.number(value);
  }

  @Override
  public String toString() {
    return (bound == Bound.AT_LEAST ? ">= " : "<= ") + Text.number(value);
  }
}
