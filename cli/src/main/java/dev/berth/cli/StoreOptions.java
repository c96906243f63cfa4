package dev.berth.cli;

import dev.berth.Berth;
import dev.berth.config.BerthToml;
import dev.berth.postgres.PostgresOptions;
import dev.berth.postgres.PostgresStoreProvider;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Which database a command works on: the option, else the environment, else the file. */
final class StoreOptions {

  @Option(
      names = "--db",
      paramLabel = "URL",
      description = {
        "The PostgreSQL database: jdbc:postgresql://HOST/DB?user=USER or"
            + " postgres://USER:PASSWORD@HOST/DB.",
        "Otherwise BERTH_DB, or url under [store] in the configuration file."
      })
  private @Nullable String db;

  @Option(
      names = "--config",
      paramLabel = "FILE",
      description = "The configuration file. Otherwise BERTH_CONFIG, or ./berth.toml.")
  private @Nullable Path config;

  @Spec(Spec.Target.MIXEE)
  private CommandSpec spec;

  /** Opens the database as it is: a schema that does not fit is an error. */
  Berth open() {
    return Berth.on(
        PostgresStoreProvider.open(jdbcUrl(), PostgresOptions.DEFAULT.withoutMigration()));
  }

  /** The database that was named somewhere. */
  String jdbcUrl() {
    return Optional.ofNullable(db)
        .or(() -> variable("BERTH_DB"))
        .or(() -> file().storeUrl())
        .map(DatabaseUrl::jdbc)
        .orElseThrow(() ->
            new ParameterException(
                spec.commandLine(),
                "Which database? Name it with --db, in BERTH_DB, or as url under [store] in "
                    + BerthToml.NAME
                    + "."));
  }

  /** The database of the option, if it was given. */
  Optional<String> jdbcUrlOption() {
    return Optional.ofNullable(db).map(DatabaseUrl::jdbc);
  }

  /** The configuration file; one that nobody named may be absent. */
  BerthToml file() {
    return Optional.ofNullable(config)
        .or(() -> variable("BERTH_CONFIG").map(Path::of))
        .or(() -> Optional.of(Path.of(BerthToml.NAME)).filter(Files::exists))
        .map(BerthToml::read)
        .orElse(BerthToml.EMPTY);
  }

  private static Optional<String> variable(String name) {
    return Optional.ofNullable(System.getenv(name)).filter(value -> !value.isBlank());
  }
}
