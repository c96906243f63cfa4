package dev.berth.benchmarks;

import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What a scenario found. Ratios compare variants of the same run and are what to look at; figures
 * depend on the machine.
 */
public final class Report {

  /** Rounds that lie further apart than this say that something else was going on. */
  private static final double NOISY = 0.3;

  private record Line(
      String name, String unit, Samples samples, @Nullable Target target, String means) {}

  private final String scenario;
  private final Map<String, Line> ratios = new LinkedHashMap<>();
  private final Map<String, Line> figures = new LinkedHashMap<>();
  private final Map<String, String> facts = new LinkedHashMap<>();
  private final List<String> notes = new ArrayList<>();
  private final List<String> noise = new ArrayList<>();

  Report(String scenario) {
    this.scenario = scenario;
  }

  /** One value against another of the same run. */
  Report ratio(String name, Samples samples, @Nullable Target target, String means) {
    ratios.put(name, new Line(name, "", samples, target, means));
    return this;
  }

  /** A value of this machine; one with several rounds is told with its spread. */
  Report figure(String name, String unit, Samples samples, String means) {
    return figure(name, unit, samples, null, means);
  }

  Report figure(String name, String unit, Samples samples, @Nullable Target target, String means) {
    figures.put(name, new Line(name, unit, samples, target, means));
    if (samples.count() > 1 && samples.spread() > NOISY) {
      noise.add("%s varies by %s between rounds".formatted(name, Text.percent(samples.spread())));
    }
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

  /** The value of a ratio, for callers that decide on it. */
  public Optional<Double> ratio(String name) {
    return Optional.ofNullable(ratios.get(name)).map(line -> line.samples().median());
  }

  /** The same for programs: names and numbers, to be written as JSON. */
  public Map<String, Object> content() {
    Map<String, Object> values = new LinkedHashMap<>(facts);
    figures.values().forEach(line -> put(values, line));
    values.put("noisy", !noise.isEmpty());
    Map<String, Object> compared = new LinkedHashMap<>();
    ratios.values().forEach(line -> put(compared, line));
    Map<String, Object> object = new LinkedHashMap<>();
    object.put("scenario", scenario);
    object.put("ratios", compared);
    object.put("figures", values);
    return object;
  }

  private static void put(Map<String, Object> values, Line line) {
    values.put(line.name(), Text.rounded(line.samples().median()));
  }

  public void print(PrintWriter out) {
    if (!facts.isEmpty()) {
      facts.forEach((name, value) -> out.println(name + ": " + value));
      out.println();
    }
    table("ratio", ratios).print(out);
    out.println();
    table("figure", figures).print(out);
    if (!notes.isEmpty() || !noise.isEmpty()) {
      out.println();
    }
    notes.forEach(out::println);
    if (!noise.isEmpty()) {
      out.println("The machine is noisy, run it again: " + String.join("; ", noise) + ".");
    }
    out.flush();
  }

  private static Table table(String heading, Map<String, Line> lines) {
    Table table =
        new Table()
            .text(heading)
            .number("median")
            .text("")
            .number("spread")
            .text("target")
            .text("means");
    for (Line line : lines.values()) {
      Samples samples = line.samples();
      table.row(
          line.name(),
          Text.number(samples.median()),
          line.unit(),
          samples.count() > 1 ? Text.percent(samples.spread()) : "",
          target(line),
          line.means());
    }
    return table;
  }

  private static String target(Line line) {
    Target target = line.target();
    if (target == null) {
      return "";
    }
    return target + (target.met(line.samples().median()) ? ", met" : ", MISSED");
  }
}
