package dev.berth.cli;

import java.io.PrintWriter;
import java.util.function.Consumer;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** How a command answers: text for people, or one line of JSON. */
final class Output {

  @Option(names = "--json", description = "Answer with one line of JSON.")
  private boolean json;

  @Spec(Spec.Target.MIXEE)
  private CommandSpec spec;

  /** Answers in the form that was asked for. */
  void answer(Object forPrograms, Consumer<PrintWriter> forPeople) {
    PrintWriter out = out();
    if (json) {
      out.println(Json.line(forPrograms));
    } else {
      PlainWriter plain = new PlainWriter(out);
      forPeople.accept(plain);
      plain.flush();
    }
    out.flush();
  }

  boolean json() {
    return json;
  }

  PrintWriter out() {
    return spec.commandLine().getOut();
  }

  PrintWriter err() {
    return spec.commandLine().getErr();
  }
}
