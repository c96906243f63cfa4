package dev.berth.cli;

import dev.berth.config.BerthToml;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Which configuration file a command reads: the option, else the environment, else the folder. */
final class ConfigOption {

  @Option(
      names = "--config",
      paramLabel = "FILE",
      description =
          "The configuration file. Otherwise that of the variable BERTH_CONFIG, or berth.toml in"
              + " the current folder, which the command then says.")
  private @Nullable Path path;

  @Spec(Spec.Target.MIXEE)
  private CommandSpec spec;

  private @Nullable BerthToml read;

  /** The file; one that nobody named may be absent. */
  BerthToml file() {
    if (read == null) {
      read =
          Optional.ofNullable(path)
              .or(() -> variable("BERTH_CONFIG").map(Path::of))
              .or(this::ofThisFolder)
              .map(BerthToml::read)
              .orElse(BerthToml.EMPTY);
    }
    return read;
  }

  /** Whoever can write in this folder may have put it there: it is not read in silence. */
  private Optional<Path> ofThisFolder() {
    Path file = Path.of(BerthToml.NAME).toAbsolutePath();
    if (!Files.exists(file)) {
      return Optional.empty();
    }
    PrintWriter err = spec.commandLine().getErr();
    err.println("Reading " + file);
    err.flush();
    return Optional.of(file);
  }

  static Optional<String> variable(String name) {
    return Optional.ofNullable(System.getenv(name)).filter(value -> !value.isBlank());
  }
}
