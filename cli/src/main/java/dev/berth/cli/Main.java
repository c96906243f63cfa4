package dev.berth.cli;

import java.io.PrintWriter;
import java.util.Optional;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.IVersionProvider;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.ScopeType;
import picocli.CommandLine.UnmatchedArgumentException;

/**
 * The {@code berth} command. Ends with 0 when the command did what it was asked, 1 when it failed
 * and 2 when it was called wrongly. A failure is told in a sentence; {@code --debug} adds the stack
 * trace.
 */
@Command(
    name = "berth",
    description = "A durable task queue for Java whose concurrency limits hold.",
    versionProvider = Main.Version.class,
    subcommands = {
      DemoCommand.class,
      MigrateCommand.class,
      TaskCommand.class,
      QueueCommand.class,
      LimitCommand.class,
      WorkflowCommand.class,
      ScheduleCommand.class,
      LaunchCommand.class,
      TopicCommand.class,
      ExplainCommand.class,
      AuditCommand.class,
      DoctorCommand.class,
      WorkerCommand.class,
      BenchCommand.class
    })
public final class Main extends CommandGroup {
  @Option(
      names = {"-h", "--help"},
      usageHelp = true,
      description = "Show this help.",
      scope = ScopeType.INHERIT)
  private boolean help;

  @Option(
      names = {"-V", "--version"},
      versionHelp = true,
      description = "Show the version.")
  private boolean version;

  @Option(
      names = "--debug",
      description = "Print the stack trace of a failure.",
      scope = ScopeType.INHERIT)
  private boolean debug;

  private final Terminal.Finder terminals;

  private Main(Terminal.Finder terminals) {
    this.terminals = terminals;
  }

  public static void main(String[] arguments) {
    System.exit(commandLine(Terminal::find).execute(arguments));
  }

  /** The command, for callers that take its output themselves. */
  static CommandLine commandLine() {
    return commandLine(Terminal.Finder.NONE);
  }

  static CommandLine commandLine(Terminal.Finder terminals) {
    var main = new Main(terminals);
    return new CommandLine(main)
        .setParameterExceptionHandler(Main::usageError)
        .setCaseInsensitiveEnumValuesAllowed(true)
        .setExecutionExceptionHandler(main::failure);
  }

  Optional<Terminal> terminal(Terminal.Stream stream) {
    return terminals.behind(stream);
  }

  private static int usageError(ParameterException error, String[] arguments) {
    CommandLine command = error.getCommandLine();
    PrintWriter output = command.getErr();
    output.println(command.getColorScheme().errorText("berth: " + error.getMessage()));
    UnmatchedArgumentException.printSuggestions(error, output);
    output.printf("See '%s --help'.%n", command.getCommandSpec().qualifiedName());
    return CommandLine.ExitCode.USAGE;
  }

  private int failure(Exception error, CommandLine command, ParseResult arguments) {
    PrintWriter output = command.getErr();
    output.println(command.getColorScheme().errorText("berth: " + sentence(error)));
    if (debug) {
      error.printStackTrace(output);
    }
    return CommandLine.ExitCode.SOFTWARE;
  }

  /** The outermost message of a failure, for a reader who does not know the code. */
  private static String sentence(Throwable error) {
    for (Throwable cause = error; cause != null; cause = cause.getCause()) {
      String message = cause.getMessage();
      if (message != null && !message.isBlank()) {
        return closed(message.strip());
      }
    }
    return error.getClass().getSimpleName() + ", without a message; --debug shows where.";
  }

  private static String closed(String sentence) {
    return ".!?…".indexOf(sentence.charAt(sentence.length() - 1)) < 0 ? sentence + "." : sentence;
  }

  static final class Version implements IVersionProvider {
    @Override
    public String[] getVersion() {
      String version = Main.class.getPackage().getImplementationVersion();
      return new String[] {
        "berth " + (version == null ? "(unpackaged)" : version), "Java " + Runtime.version()
      };
    }
  }
}
