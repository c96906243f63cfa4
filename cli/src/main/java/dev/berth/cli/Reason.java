package dev.berth.cli;

import picocli.CommandLine.Option;

/** Why something is cancelled. */
final class Reason {

  @Option(
      names = "--reason",
      paramLabel = "TEXT",
      defaultValue = "cancelled by hand",
      description = "Why, for the history (\"${DEFAULT-VALUE}\" by default).")
  String text = "";
}
