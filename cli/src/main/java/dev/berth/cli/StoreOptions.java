package dev.berth.cli;

import dev.berth.Berth;
import dev.berth.config.BerthToml;
import dev.berth.postgres.PostgresOptions;
import dev.berth.postgres.PostgresStore;
import dev.berth.postgres.PostgresStoreProvider;
import dev.berth.postgres.PostgresUrl;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
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
        "The PostgreSQL database, written as",
        "postgres://USER:PASSWORD@HOST/DATABASE or",
        "jdbc:postgresql://HOST/DATABASE?user=USER.",
        "Otherwise that of the variable BERTH_DB, or url under [store] in the configuration file."
      })
  private @Nullable String db;

  @Mixin private ConfigOption config;

  @Spec(Spec.Target.MIXEE)
  private CommandSpec spec;

  /** Opens the database as it is: a schema that does not fit is an error. */
  Berth open() {
    return Berth.on(openStore());
  }

  /** The same, for what only PostgreSQL has. */
  PostgresStore openStore() {
    return PostgresStoreProvider.open(jdbcUrl(), PostgresOptions.DEFAULT.withoutMigration());
  }

  /** The configuration file. */
  BerthToml file() {
    return config.file();
  }

  /** The database that was named somewhere. */
  String jdbcUrl() {
    return Optional.ofNullable(db)
        .or(() -> ConfigOption.variable("BERTH_DB"))
        .or(() -> config.file().storeUrl())
        .map(PostgresUrl::jdbc)
        .orElseThrow(() ->
            new ParameterException(
                spec.commandLine(),
                "Which database? Name it with --db, in BERTH_DB, or as url under [store] in "
                    + BerthToml.NAME
                    + "."));
  }
}
