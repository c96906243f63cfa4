package dev.berth.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.benchmarks.plot.Curve;
import java.io.PrintWriter;
import java.io.StringReader;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.w3c.dom.Document;
import org.xml.sax.InputSource;

/** Several scenarios in one run, and the page that is written of them. */
class SuiteTest {

  private final Told told = new Told();

  @Test
  void oneThatFailsDoesNotStopTheOthers() throws Exception {
    Results results = suite().run(List.of(new Found("first"), new Broken(), new Found("last")));

    assertThat(told.lines)
        .containsExactly(
            "first 1 of 3",
            "first ended",
            "broken 2 of 3",
            "broken failed",
            "last 3 of 3",
            "last ended");
    assertThat(results.failed()).containsExactly(Map.entry("broken", "no such table"));
    assertThat(results.content().get("ratios"))
        .isEqualTo(
            Map.of("first_rate", 0.7, "first_cost", 1.5, "last_rate", 0.7, "last_cost", 1.5));
    assertThat(results.content().get("figures").toString())
        .contains("failed={broken=no such table}", "first={", "a_per_s=40");
    StringWriter text = new StringWriter();
    results.print(new PrintWriter(text));
    assertThat(text.toString())
        .contains("4 of 6 targets met", "broken failed: no such table", "first_rate", "MISSED");
  }

  @Test
  void whatMissedItsTargetIsNamed() throws Exception {
    List<Scenario> scenarios = List.of(new Found("first"));

    assertThat(new Suite(TinyServer.IT, Size.QUICK, told).run(scenarios).missed())
        .containsExactly("first_cost");
    assertThat(suite().run(scenarios).missed()).as("nothing is measured").isEmpty();
  }

  @Test
  void oneThatCannotRunHereIsNoFailure() throws Exception {
    Results results = suite().run(List.of(new Elsewhere(), new Found("first")));

    assertThat(told.lines)
        .containsExactly("elsewhere left out: Build it first.", "first 1 of 1", "first ended");
    assertThat(results.failed()).isEmpty();
    assertThat(results.content().get("figures").toString())
        .contains("left_out={elsewhere=Build it first.}");
  }

  @Test
  void thePageSaysWhatWasMeasuredWhereAndHowToRepeatIt(@TempDir Path folder) throws Exception {
    Path page = suite().run(List.of(new Found("first"), new Broken())).write(folder);

    assertThat(page).hasFileName("performance.md");
    assertThat(Files.readString(page))
        .contains(
            "| [first](#first) | `first_rate` | 0.70 | \u2265 0.50 | met | more \\| is better |")
        .contains("| [first](#first) | `first_cost` | 1.5 | \u2264 1.2 | **missed** |")
        .contains("2 of 3 targets are met")
        .contains("The scenario `broken` **failed**: no such table")
        .contains("| `synchronous_commit` | on |", "| cores | ", "| JDK | Java ")
        .contains("## first", "What first is about.", "| `a_per_s` | 40 | tasks/s | 50 % |")
        .contains("Kept in mind.", "`./berth bench first")
        .contains("](performance.svg)", "](performance.html)");
  }

  @Test
  void thePageForBrowsersNeedsNothingElse(@TempDir Path folder) throws Exception {
    suite().run(List.of(new Found("first"), new Broken())).write(folder);

    assertThat(Files.readString(folder.resolve("performance.html")))
        .startsWith("<!doctype html>")
        .contains("<svg ", "class=\"goal\"", "prefers-color-scheme:dark")
        .contains(
            "<td>first</td><td><code>first_rate</code></td><td>0.70</td><td>\u2265 0.50</td>"
                + "<td><i>met</i></td><td>more | is better</td>")
        .contains("<code>first_cost</code></td><td>1.5</td><td>\u2264 1.2</td><td><b>missed</b>")
        .contains("<td>2.0 ms</td><td>\u2264 3.0</td><td><i>met</i></td><td>a &lt; b</td>")
        .contains("2 of 3 targets are met.", "The scenario broken failed: no such table")
        .doesNotContain("<script", "<link", "src=", "href", "url(", "@import", "NaN");
  }

  @Test
  void thePlotIsOnePictureWithItsBarsAndCurves(@TempDir Path folder) throws Exception {
    suite().run(List.of(new Found("first"), new Found("last"))).write(folder);

    String svg = Files.readString(folder.resolve("performance.svg"));
    Document xml =
        DocumentBuilderFactory.newInstance()
            .newDocumentBuilder()
            .parse(new InputSource(new StringReader(svg)));
    assertThat(xml.getDocumentElement().getTagName()).isEqualTo("svg");
    assertThat(svg)
        .contains("prefers-color-scheme:dark", "a &lt; b")
        .contains("\u2265 0.50 met", "\u2264 1.2 missed")
        .doesNotContain("NaN", "Infinity", "href");
    assertThat(svg.split("class=\"goal\"", -1)).as("six bars").hasSize(6 + 1);
    assertThat(svg.split("class=\"dot s0\"", -1)).as("two curves of two points").hasSize(4 + 1);
  }

  private Suite suite() {
    return new Suite(TinyServer.IT, Size.TINY, told);
  }

  /** Finds the same each time. */
  private record Found(String name) implements Scenario {

    @Override
    public String about() {
      return "What " + name + " is about.";
    }

    @Override
    public void run(Bench bench, Report report) {
      report.ratio(name + "_rate", Samples.of(0.7), Target.atLeast(0.5), "more | is better");
      report.ratio(name + "_cost", Samples.of(1.5), Target.atMost(1.2), "less is better");
      report.figure("a_per_s", "tasks/s", new Samples(List.of(30.0, 40.0, 50.0)), "a < b");
      report.figure("a_ms", "ms", Samples.of(2), Target.atMost(3), "a < b");
      report.note("Kept in mind.");
      report.curve(
          Curve.of("a < b", "size", "ms")
              .point("a", "1", new Curve.Point(2, 1, 3))
              .point("a", "2", new Curve.Point(4, 3, 5)));
    }
  }

  private static final class Broken implements Scenario {

    @Override
    public String name() {
      return "broken";
    }

    @Override
    public String about() {
      return "Fails.";
    }

    @Override
    public void run(Bench bench, Report report) {
      throw new IllegalStateException("no such table");
    }
  }

  private static final class Elsewhere implements Scenario {

    @Override
    public String name() {
      return "elsewhere";
    }

    @Override
    public String about() {
      return "Needs what is not here.";
    }

    @Override
    public Optional<String> missing() {
      return Optional.of("Build it first.");
    }

    @Override
    public void run(Bench bench, Report report) {
      throw new AssertionError("not here");
    }
  }

  private static final class Told implements Suite.Listener {

    private final List<String> lines = new ArrayList<>();

    @Override
    public void begins(Scenario scenario, int number, int of) {
      lines.add("%s %d of %d".formatted(scenario.name(), number, of));
    }

    @Override
    public void says(String line) {}

    @Override
    public void ends(Report report) {
      lines.add(report.scenario().name() + " ended");
    }

    @Override
    public void skips(Scenario scenario, String why) {
      lines.add(scenario.name() + " left out: " + why);
    }

    @Override
    public void fails(Scenario scenario, Exception why) {
      lines.add(scenario.name() + " failed");
    }
  }
}
