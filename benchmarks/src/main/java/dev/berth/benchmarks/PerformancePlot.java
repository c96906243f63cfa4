package dev.berth.benchmarks;

import static java.util.Objects.requireNonNull;

import dev.berth.benchmarks.plot.Bar;
import dev.berth.benchmarks.plot.Plot;
import java.time.LocalDate;
import java.util.List;

/** The ratios of a run against their targets, and its curves. */
record PerformancePlot(Results results) {

  String svg() {
    Machine machine = Machine.here();
    return new Plot(
            "Berth: what was measured, against its targets",
            "%s, %d cores, %d GB, %s; medians, and thin lines from the least to the most of all rounds"
                .formatted(
                    LocalDate.now(), machine.cores(), machine.memoryGb(), results.server().name()),
            bars(Target.Bound.AT_LEAST),
            bars(Target.Bound.AT_MOST),
            results.reports().stream().flatMap(report -> report.curves().stream()).toList())
        .svg();
  }

  private List<Bar> bars(Target.Bound bound) {
    return results.targets().stream()
        .filter(finding -> requireNonNull(finding.target()).bound() == bound)
        .map(Finding::bar)
        .toList();
  }
}
