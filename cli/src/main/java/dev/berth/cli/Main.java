package dev.berth.cli;

import dev.berth.config.ConfigException;
import dev.berth.value.Printable;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.sql.SQLException;
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
 * and 2 when it was called wrongly: then the same call never succeeds. A failure is told in a
 * sentence; {@code --debug} adds the stack trace.
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

  /** The class of SQLSTATEs by which the database refuses a value. */
  private static final String INVALID_DATA = "22";

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
        .setExpandAtFiles(false) // an argument is what it is, not the name of a file
        .setExecutionExceptionHandler(main::failure);
  }

  Optional<Terminal> terminal(Terminal.Stream stream) {
    return terminals.behind(stream);
  }

  private static int usageError(ParameterException error, String[] arguments) {
    CommandLine command = error.getCommandLine();
    tell(Secrets.hidden(String.valueOf(error.getMessage()), arguments), command);
    UnmatchedArgumentException.printSuggestions(error, new PlainWriter(command.getErr()));
    return misused(command);
  }

  private int failure(Exception error, CommandLine command, ParseResult arguments) {
    tell(sentence(error), command);
    if (debug) {
      StringWriter trace = new StringWriter();
      error.printStackTrace(new PrintWriter(trace));
      command.getErr().print(Printable.lines(trace.toString()));
    }
    return isMisuse(error) ? misused(command) : CommandLine.ExitCode.SOFTWARE;
  }

  /** Lines after the first are set off, so that none of them looks like a sentence of its own. */
  private static void tell(String sentence, CommandLine command) {
    String plain = Printable.lines("berth: " + sentence).replace("\n", "\n  ");
    command.getErr().println(command.getColorScheme().errorText(plain));
  }

  private static int misused(CommandLine command) {
    command.getErr().printf("See '%s --help'.%n", command.getCommandSpec().qualifiedName());
    return CommandLine.ExitCode.USAGE;
  }

  /** What was said is wrong, whoever found out: we, the file, or the database. */
  private static boolean isMisuse(Exception error) {
    return error instanceof IllegalArgumentException
        || error instanceof ConfigException
        || error.getCause() instanceof SQLException refused
            && String.valueOf(refused.getSQLState()).startsWith(INVALID_DATA);
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
