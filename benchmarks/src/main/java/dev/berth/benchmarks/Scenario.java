package dev.berth.benchmarks;

import java.util.List;
import java.util.Optional;

/** Something worth measuring. To add one, write a class and name it in {@link #all}. */
public interface Scenario {

  /** As it is called on the command line. */
  String name();

  /** What it measures, in one sentence. */
  String about();

  /** Why it cannot run here and what to do about it, as a sentence; empty: it can. */
  default Optional<String> missing() {
    return Optional.empty();
  }

  /** Measures, and writes what it found into the report. */
  void run(Bench bench, Report report) throws Exception;

  static List<Scenario> all() {
    return List.of(
        new DrainScenario(),
        new SubmitScenario(),
        new BacklogScenario(),
        new WorkersScenario(),
        new InFlightScenario(),
        new IdleScenario(),
        new LatencyScenario(),
        new LongTransactionScenario(),
        new ForeignScenario(),
        ConcurrencyScenario.baseline(),
        ConcurrencyScenario.enabled(),
        ConcurrencyScenario.mixed(),
        new OneLimitScenario(),
        new BlockedScenario(),
        new KeysScenario(),
        new WorkflowsScenario(),
        new SlotUseScenario(),
        new PlansScenario(),
        new PeersScenario());
  }

  static Optional<Scenario> named(String name) {
    return all().stream().filter(scenario -> scenario.name().equals(name)).findFirst();
  }
}
