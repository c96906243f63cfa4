package dev.berth.cli;

import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** A command that only holds others and asks which one is meant. */
@Command(synopsisSubcommandLabel = "COMMAND")
abstract class CommandGroup implements Runnable {

  @Spec private CommandSpec spec;

  @Override
  public void run() {
    String names =
        spec.subcommands().keySet().stream()
            .filter(name -> !name.equals("help"))
            .collect(Collectors.joining(", "));
    throw new ParameterException(spec.commandLine(), "Which command? There are: " + names + ".");
  }
}
