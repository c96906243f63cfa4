package dev.berth.cli;

import java.io.PrintWriter;
import java.util.Optional;

/** Shows how far a demo got. Called often; decides by itself how often to draw. */
interface DemoProgress extends AutoCloseable {

  void show(DemoSnapshot now);

  /** Shows the end. */
  void last(DemoSnapshot end);

  /** Leaves the output ready for whatever comes next. Twice is fine. */
  @Override
  void close();

  /** A block that is drawn over and over on a terminal; plain lines elsewhere. */
  static DemoProgress on(PrintWriter out, Optional<Terminal> terminal) {
    return terminal
        .<DemoProgress>map(screen -> new LiveProgress(out, screen))
        .orElseGet(() -> new PlainProgress(out));
  }
}
