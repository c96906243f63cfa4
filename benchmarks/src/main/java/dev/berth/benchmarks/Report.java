package dev.berth.benchmarks;

import dev.berth.benchmarks.plot.Curve;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What a scenario found. Ratios compare variants of the same run and are what to look at; figures
 * depend on the machine.
 */
public final class Report {

  /** Rounds that lie further apart than this say that something else was going on. */
  private static final double NOISY = 0.3;

  private final Scenario scenario;
  private final Map<String, Finding> ratios = new LinkedHashMap<>();
  private final Map<String, Finding> figures = new LinkedHashMap<>();
  private final Map<String, String> facts = new LinkedHashMap<>();
  private final List<Curve> curves = new ArrayList<>();
  private final List<String> notes = new ArrayList<>();
  private final List<String> noise = new ArrayList<>();

  Report(Scenario scenario) {
    this.scenario = scenario;
  }

  /** One value against another of the same run. */
  Report ratio(String name, Samples samples, @Nullable Target target, String means) {
    ratios.put(name, new Finding(name, "", samples, target, means));
    return this;
  }

  /** A value of this machine; one with several rounds is told with its spread. */
  Report figure(String name, String unit, Samples samples, String means) {
    return figure(name, unit, samples, null, means);
  }

  Report figure(String name, String unit, Samples samples, @Nullable Target target, String means) {
    figures.put(name, new Finding(name, unit, samples, target, means));
    if (samples.count() > 1 && samples.spread() > NOISY) {
      noise.add("%s varies by %s between rounds".formatted(name, Text.percent(samples.spread())));
    }
    return this;
  }

  /** How something changes with a size, to be drawn. */
  Report curve(Curve curve) {
    curves.add(curve);
    return this;
  }

  /** What was measured on, such as the server's version. */
  Report fact(String name, String value) {
    facts.put(name, value);
    return this;
  }

  Report note(String sentence) {
    notes.add(sentence);
    return this;
  }

  /** Something other than Berth had its hand in the figures. */
  Report noisy(String why) {
    noise.add(why);
    return this;
  }

  Scenario scenario() {
    return scenario;
  }

  Collection<Finding> ratios() {
    return ratios.values();
  }

  Collection<Finding> figures() {
    return figures.values();
  }

  /** All ratios, and those figures that have a target. */
  List<Finding> compared() {
    return Stream.concat(
            ratios().stream(), figures().stream().filter(each -> each.target() != null))
        .toList();
  }

  Map<String, String> facts() {
    return facts;
  }

  List<Curve> curves() {
    return curves;
  }

  boolean noisy() {
    return !noise.isEmpty();
  }

  /** What is to be known besides the values, in sentences. */
  List<String> remarks() {
    Stream<String> why =
        noisy()
            ? Stream.of("The machine is noisy, run it again: " + String.join("; ", noise) + ".")
            : Stream.of();
    return Stream.concat(notes.stream(), why).toList();
  }

  /** The value of a ratio, for callers that decide on it. */
  public Optional<Double> ratio(String name) {
    return Optional.ofNullable(ratios.get(name)).map(Finding::median);
  }

  /** The same for programs: names and numbers, to be written as JSON. */
  public Map<String, Object> content() {
    Map<String, Object> values = new LinkedHashMap<>(facts);
    values.putAll(medians(figures()));
    Map<String, Double> spreads = new LinkedHashMap<>();
    Stream.concat(ratios().stream(), figures().stream())
        .filter(each -> each.samples().count() > 1)
        .forEach(each -> spreads.put(each.name(), Text.rounded(each.samples().spread())));
    values.put("spread", spreads);
    values.put("noisy", noisy());
    Map<String, Object> object = new LinkedHashMap<>();
    object.put("scenario", scenario.name());
    object.put("ratios", medians(ratios()));
    object.put("figures", values);
    return object;
  }

  static Map<String, Double> medians(Collection<Finding> findings) {
    Map<String, Double> values = new LinkedHashMap<>();
    findings.forEach(each -> values.put(each.name(), Text.rounded(each.median())));
    return values;
  }

  public void print(PrintWriter out) {
    facts.forEach((name, value) -> out.println(name + ": " + value));
    out.println();
    table("ratio", ratios()).print(out);
    out.println();
    table("figure", figures()).print(out);
    if (!remarks().isEmpty()) {
      out.println();
    }
    remarks().forEach(out::println);
    out.flush();
  }

  static Table table(String heading, Collection<Finding> findings) {
    Table table =
        new Table()
            .text(heading)
            .number("median")
            .text("")
            .number("spread")
            .text("target")
            .text("means");
    for (Finding each : findings) {
      table.row(
          each.name(),
          Text.number(each.median()),
          each.unit(),
          each.spread(),
          each.verdict(),
          each.means());
    }
    return table;
  }
}
