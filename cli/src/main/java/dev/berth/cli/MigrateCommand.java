package dev.berth.cli;

import com.zaxxer.hikari.HikariDataSource;
import dev.berth.postgres.PostgresStoreProvider;
import dev.berth.postgres.Schema;
import java.io.PrintWriter;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Brings the schema of a database up to date. */
@Command(
    name = "migrate",
    description = {
      "Create the schema berth in a database, or bring it up to date.",
      "Workers do this at start unless told not to; this command is for teams that want it apart."
    })
final class MigrateCommand implements Runnable {

  @Mixin private StoreOptions store;
  @Mixin private Output output;

  @Option(
      names = "--print",
      description = "Print the whole schema as an SQL script instead, for Flyway or Liquibase.")
  private boolean print;

  @Override
  public void run() {
    if (print) {
      String script = Schema.script();
      output.answer(Json.object().put("sql", script).map(), out -> out.print(script));
    } else {
      List<String> applied = migrate();
      output.answer(Json.object().put("applied", applied).map(), out -> tell(applied, out));
    }
  }

  private List<String> migrate() {
    try (HikariDataSource pool = PostgresStoreProvider.pool(store.jdbcUrl())) {
      return new Schema(pool).migrate();
    }
  }

  private static void tell(List<String> applied, PrintWriter out) {
    if (applied.isEmpty()) {
      out.println("The schema is up to date.");
    } else {
      applied.forEach(name -> out.println("Applied " + name));
    }
  }
}
