package dev.berth.cli;

import dev.berth.config.BerthToml;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Which configuration file a command reads: the option, else the environment, else the folder. */
final class ConfigOption {

  @Option(
      names = "--config",
      paramLabel = "FILE",
      description =
          "The configuration file. Otherwise that of the variable BERTH_CONFIG, or berth.toml in"
              + " the current folder.")
  private @Nullable Path path;

  /** The file; one that nobody named may be absent. */
  BerthToml file() {
    return Optional.ofNullable(path)
        .or(() -> variable("BERTH_CONFIG").map(Path::of))
        .or(() -> Optional.of(Path.of(BerthToml.NAME)).filter(Files::exists))
        .map(BerthToml::read)
        .orElse(BerthToml.EMPTY);
  }

  static Optional<String> variable(String name) {
    return Optional.ofNullable(System.getenv(name)).filter(value -> !value.isBlank());
  }
}
