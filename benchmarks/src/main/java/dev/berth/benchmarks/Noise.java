package dev.berth.benchmarks;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * What else went on while something was measured: others at work on this machine just before it,
 * and other machines that got the processors of this one meanwhile. The load of the last minute
 * would not do: most of it is our own, of the scenario before.
 */
final class Noise {

  private static final double BUSY = 0.25;
  private static final double STOLEN = 0.02;
  private static final int LOOK_MS = 500;

  private final List<String> found = new ArrayList<>();
  private final Optional<CpuTime> began;

  private Noise(Optional<CpuTime> began) {
    this.began = began;
  }

  /** Looks at the machine for a moment, in which nothing of ours may run. */
  static Noise watch(Size size) throws InterruptedException {
    Optional<CpuTime> before = CpuTime.now();
    if (size != Size.TINY) {
      Thread.sleep(LOOK_MS);
    }
    Noise noise = new Noise(CpuTime.now());
    before
        .flatMap(first -> noise.began.map(then -> then.since(first).busyPart()))
        .filter(part -> size != Size.TINY && part > BUSY)
        .ifPresent(part ->
            noise.found.add(
                "the processors were %s busy before the run".formatted(Text.percent(part))));
    return noise;
  }

  /** In parts of sentences. */
  List<String> found() {
    CpuTime.now()
        .flatMap(now -> began.map(first -> now.since(first).stolenPart()))
        .filter(part -> part > STOLEN)
        .ifPresent(part ->
            found.add(
                "other machines got %s of the processors' time".formatted(Text.percent(part))));
    return found;
  }
}
