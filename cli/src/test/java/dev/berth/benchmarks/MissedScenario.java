package dev.berth.benchmarks;

/** Misses its target. */
public final class MissedScenario implements Scenario {

  @Override
  public String name() {
    return "missed";
  }

  @Override
  public String about() {
    return "Always too slow.";
  }

  @Override
  public void run(Bench bench, Report report) {
    report.ratio("rate", Samples.of(0.7), Target.atLeast(0.8), "more is better");
  }
}
