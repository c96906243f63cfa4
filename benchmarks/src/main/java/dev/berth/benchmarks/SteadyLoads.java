package dev.berth.benchmarks;

import dev.berth.task.TaskType;
import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Submits that go on at a pace that workers can keep up with, while a transaction elsewhere stays
 * open, beside the same without it. A queue that was filled before sees no dead entries of submits:
 * here they come all the time.
 */
final class SteadyLoads {

  private static final int WORKERS = 4;
  private static final int TYPES = 100;
  private static final int SLOTS = 10;
  private static final int KEYS = 200;

  /** Of what the workers can do while submits go on: the rest is for a busy moment. */
  private static final double PART = 0.7;

  /** Enough that no worker looks for work in vain while it is found out what they can do. */
  private static final int AT_HAND = 5_000;

  /** Where less of what was due could be submitted, the load was not the same. */
  private static final double IN_TIME = 0.95;

  private SteadyLoads() {}

  static void measure(Bench bench, Report report) throws Exception {
    List<Load> loads = List.of(limited(bench), keys(bench));
    Rounds rounds = new Rounds(bench);
    for (Load load : loads) {
      load.choosePace();
      rounds
          .variant(load.without(), () -> load.part(load.leftAlone, false))
          .variant(load.with(), () -> load.part(load.heldBack, true));
    }
    // forth and back, so that a drift hits both alike
    rounds.run(bench.size().of(1, 1, 2));
    loads.forEach(load -> load.tell(report, rounds));
    report.fact("workers of steady loads", Fleet.describe(workers(bench)));
  }

  private static Load limited(Bench bench) {
    return new Load(
        bench,
        "limited",
        "%d types, each limited at %d".formatted(TYPES, SLOTS),
        IntStream.range(0, TYPES)
            .mapToObj(i -> TaskType.of("no_op_" + i, NoOp.class).limit(SLOTS))
            .toList());
  }

  private static Load keys(Bench bench) {
    return new Load(
        bench,
        "keys",
        "%d keys, each limited at 1".formatted(KEYS),
        List.of(NoOp.TYPE.limitPer("key", payload -> payload.number() % KEYS, 1)));
  }

  private static int workers(Bench bench) {
    return bench.size().of(1, WORKERS, WORKERS);
  }

  /** Tasks under limits, and what became of them in each part of the run. */
  private static final class Load {

    private final Bench bench;
    private final String name;
    private final String what;
    private final List<TaskType<NoOp, Void>> types;
    private final List<Fleet.Steady> leftAlone = new ArrayList<>();
    private final List<Fleet.Steady> heldBack = new ArrayList<>();
    private double pace = 1_000;

    Load(Bench bench, String name, String what, List<TaskType<NoOp, Void>> types) {
      this.bench = bench;
      this.name = name;
      this.what = what;
      this.types = types;
    }

    String without() {
      return "steady %s, without".formatted(name);
    }

    String with() {
      return "steady %s, with".formatted(name);
    }

    /** In a database of its own: no part begins with what this leaves behind. */
    void choosePace() throws Exception {
      bench.warmUp(() -> {
        try (Fleet fleet = fleet()) {
          Duration time = Duration.ofSeconds(bench.size().of(0, 4, 15));
          Fleet.Pace most = Fleet.Pace.waiting(AT_HAND);
          fleet.steady(time.dividedBy(2), most);
          double can = fleet.steady(time, most).perSecond();
          pace = PART * can;
          bench.say(
              "steady %s: submits of %s a second, %s of what the workers can do"
                  .formatted(name, Text.number(pace), Text.percent(PART)));
        }
      });
    }

    double part(List<Fleet.Steady> parts, boolean open) throws Exception {
      Duration time = Duration.ofMillis(bench.size().of(200, 15_000, 120_000));
      try (Fleet fleet = fleet()) {
        Fleet.Steady part;
        if (open) {
          try (Connection forgotten = fleet.connect()) {
            LongTransactionScenario.leaveOpen(forgotten);
            part = fleet.steady(time, Fleet.Pace.perSecond(pace));
          }
        } else {
          part = fleet.steady(time, Fleet.Pace.perSecond(pace));
        }
        parts.add(part);
        bench.say(
            "%,d due, %,d submitted, %,d ended, %,d wait"
                .formatted(part.due(), part.submitted(), part.ended(), part.waiting()));
        return part.perSecond();
      }
    }

    /** Its connections have planned what they do, and the server knows its tables. */
    private Fleet fleet() throws Exception {
      Fleet fleet = Fleet.start(bench, workers(bench), types);
      try {
        fleet.rate(bench.size().of(100, 4_000, 4_000));
        return fleet;
      } catch (Exception e) {
        fleet.close();
        throw e;
      }
    }

    void tell(Report report, Rounds rounds) {
      report.ratio(
          "long_tx_steady_" + name,
          rounds.ratio(with(), without()),
          Target.atLeast(0.8),
          "rate with the open transaction / without it, while tasks of %s are submitted at a steady pace"
              .formatted(what));
      report.figure(
          "steady_%s_pace_per_s".formatted(name),
          "tasks/s",
          Samples.of(pace),
          "submits of %s, %s of what the workers can do".formatted(what, Text.percent(PART)));
      tell(report, "with", rounds.samples(with()), heldBack, "vacuum held back");
      tell(report, "without", rounds.samples(without()), leftAlone, "left alone");
    }

    private void tell(
        Report report, String variant, Samples rate, List<Fleet.Steady> parts, String how) {
      String prefix = "steady_%s_%s".formatted(name, variant);
      report.figure(prefix + "_per_s", "tasks/s", rate, "ended at that pace, " + how);
      String waited =
          parts.stream()
              .map(part -> "%,d".formatted(part.waiting()))
              .collect(Collectors.joining("; "));
      report.figure(
          prefix + "_waiting",
          "tasks",
          Samples.of(parts.stream().mapToDouble(Fleet.Steady::waiting).max().orElseThrow()),
          "the most that waited at the end of a part; of each: " + waited);
      parts.stream()
          .filter(part -> part.submitted() < IN_TIME * part.due())
          .forEach(part ->
              report.note(
                  "Submits fell behind their pace, %s: %,d of %,d were made."
                      .formatted(prefix, part.submitted(), part.due())));
    }
  }
}
