package dev.berth.benchmarks.plot;

import java.util.List;

/**
 * One picture of a run.
 *
 * @param least values that should be at least their targets
 * @param most values that should be at most theirs
 */
public record Plot(
    String title, String subtitle, List<Bar> least, List<Bar> most, List<Curve> curves) {

  private static final double WIDTH = 960;
  private static final double MARGIN = 28;
  private static final double GAP = 20;
  private static final double CHART = 250;

  private static final String STYLE =
      """
      text{font-family:system-ui,-apple-system,'Segoe UI',Helvetica,Arial,sans-serif}
      .title{font-size:20px;font-weight:600}.head{font-size:15px;font-weight:600}
      .name{font-size:13px;font-weight:600}.value{font-size:13px;font-weight:600}
      .small{font-size:12px}.tiny{font-size:11px}
      .paper{fill:#f7f9fb;stroke:#cbd2d9}.panel{fill:#fff;stroke:#dfe4ea}
      .ink{fill:#1f2933}.soft{fill:#52606d}.good{fill:#23714a}.bad{fill:#b3261e}
      .track{fill:#e4e9ee}.met{fill:#3d9c6b}.missed{fill:#d9614c}
      .goal{stroke:#1f2933;stroke-width:2}.spread{stroke:#1f2933;stroke-width:1.5;opacity:.55}
      .grid{stroke:#e4e9ee}.line{fill:none;stroke-width:2}.thin{stroke-width:1.2;opacity:.6}
      .line.s0{stroke:#2f6fb3}.dot.s0{fill:#2f6fb3}
      .line.s1{stroke:#b7791f}.dot.s1{fill:#b7791f}
      .line.s2{stroke:#7a4fa3}.dot.s2{fill:#7a4fa3}
      @media (prefers-color-scheme:dark){
      .paper{fill:#12171d;stroke:#323d49}.panel{fill:#1a2129;stroke:#323d49}
      .ink{fill:#e8edf2}.soft{fill:#a3b0bd}.good{fill:#6fd3a0}.bad{fill:#ff9a8a}
      .track{fill:#29323c}.met{fill:#37976a}.missed{fill:#cf5d4a}
      .goal{stroke:#e8edf2}.spread{stroke:#e8edf2}.grid{stroke:#29323c}
      .line.s0{stroke:#6aaef0}.dot.s0{fill:#6aaef0}
      .line.s1{stroke:#e0ac58}.dot.s1{fill:#e0ac58}
      .line.s2{stroke:#bf97e6}.dot.s2{fill:#bf97e6}}
      """;

  public String svg() {
    Svg svg = new Svg();
    svg.text(MARGIN, 46, "title ink", "start", title);
    svg.text(MARGIN, 68, "small soft", "start", subtitle);
    double y = 92;
    y = bars(svg, new Bars("At least", "longer is better, up to the line or beyond", least), y);
    y = bars(svg, new Bars("At most", "shorter is better, no further than the line", most), y);
    y = charts(svg, y);
    return """
    <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %1$s %2$s" width="%1$s" height="%2$s" role="img" aria-labelledby="t">
    <title id="t">%3$s</title>
    <style>
    %4$s</style>
    <rect x="1" y="1" width="%5$s" height="%6$s" rx="12" class="paper"/>
    %7$s</svg>
    """
        .formatted(
            Svg.number(WIDTH),
            Svg.number(y + 8),
            Svg.escaped(title),
            STYLE,
            Svg.number(WIDTH - 2),
            Svg.number(y + 6),
            svg);
  }

  private static double bars(Svg svg, Bars bars, double top) {
    if (bars.isEmpty()) {
      return top;
    }
    bars.draw(svg, MARGIN, WIDTH - MARGIN, top);
    return top + bars.height() + GAP;
  }

  /** Two beside each other. */
  private double charts(Svg svg, double top) {
    double width = (WIDTH - 2 * MARGIN - GAP) / 2;
    for (int i = 0; i < curves.size(); i++) {
      double left = MARGIN + i % 2 * (width + GAP);
      double y = top + i / 2 * (CHART + GAP);
      new Chart(curves.get(i), left, y, width, CHART).draw(svg);
    }
    return top + (curves.size() + 1) / 2 * (CHART + GAP);
  }
}
