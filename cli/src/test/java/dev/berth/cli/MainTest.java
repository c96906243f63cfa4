package dev.berth.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;
import picocli.CommandLine.Command;

class MainTest {
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();
  private final CommandLine berth =
      Main.commandLine()
          .addSubcommand(new Failing())
          .setOut(new PrintWriter(out, true))
          .setErr(new PrintWriter(err, true));

  @Test
  void tellsItsVersion() {
    assertThat(berth.execute("--version")).isZero();
    assertThat(out.toString()).startsWith("berth ").contains("Java ");
  }

  @Test
  void helps() {
    assertThat(berth.execute("--help")).isZero();
    assertThat(out.toString()).contains("Usage: berth", "--debug");
  }

  @Test
  void answersAWrongCallWithExitCodeTwo() {
    assertThat(berth.execute("nonsense")).isEqualTo(2);
    assertThat(err.toString()).contains("nonsense", "See 'berth --help'.").doesNotContain("\tat ");
  }

  @Test
  void asksForACommand() {
    assertThat(berth.execute()).isEqualTo(2);
    assertThat(err.toString()).contains("Which command?");
  }

  @Test
  void tellsAFailureInOneSentence() {
    assertThat(berth.execute("failing")).isEqualTo(1);
    assertThat(err.toString()).isEqualToIgnoringNewLines("berth: The database is away.");
  }

  @Test
  void addsTheStackTraceWhenDebugging() {
    assertThat(berth.execute("failing", "--debug")).isEqualTo(1);
    assertThat(err.toString()).contains("The database is away.", "\tat ");
  }

  @Command(name = "failing")
  private static final class Failing implements Runnable {
    @Override
    public void run() {
      throw new IllegalStateException("The database is away.");
    }
  }
}
