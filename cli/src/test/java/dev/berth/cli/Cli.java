package dev.berth.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import picocli.CommandLine;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * What a call of the command answered.
 *
 * @param out what it wrote to the standard output
 * @param err what it wrote to the standard error output
 */
record Cli(int exit, String out, String err) {

  private static final JsonMapper MAPPER = new JsonMapper();

  /** Calls the command in this process. */
  static Cli berth(String... arguments) {
    return call(Main.commandLine(), arguments);
  }

  static Cli call(CommandLine command, String... arguments) {
    var out = new StringWriter();
    var err = new StringWriter();
    command.setOut(new PrintWriter(out)).setErr(new PrintWriter(err));
    int exit = command.execute(arguments);
    command.getOut().flush();
    command.getErr().flush();
    return new Cli(exit, out.toString(), err.toString());
  }

  /** The output of a call that did what it was asked. */
  String text() {
    assertThat(exit).as(err).isZero();
    return out;
  }

  /** The only line of the output, read as JSON. */
  JsonNode json() {
    assertThat(text().lines()).hasSize(1);
    return MAPPER.readTree(out);
  }

  /** The sentence of a call that failed. */
  String failure() {
    assertThat(exit).isEqualTo(1);
    assertThat(err).startsWith("berth: ").doesNotContain("\tat ");
    return err.strip();
  }

  /** The sentence of a call that was wrong. */
  String misuse() {
    assertThat(exit).isEqualTo(2);
    assertThat(out).isEmpty();
    return err.strip();
  }
}
