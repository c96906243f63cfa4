package dev.berth.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The committed {@code schema.sql} shows what the migrations do, so that a change is seen in
 * review. {@code -Dberth.update-schema} writes it anew.
 */
@Execution(ExecutionMode.SAME_THREAD) // the newest first, it writes the file
class SchemaDumpTest {

  private static final Path FILE = Path.of("src/main/resources/dev/berth/postgres/schema.sql");

  @ParameterizedTest
  @EnumSource
  void theFileShowsTheSchema(Servers server) throws IOException {
    String dump = SchemaDump.of(server.database());
    if (System.getProperty("berth.update-schema") != null && server == Servers.NEWEST) {
      Files.writeString(FILE, dump);
    }
    assertThat(dump)
        .as("the schema on %s; mvn test -Dberth.update-schema writes %s anew", server, FILE)
        .isEqualTo(Files.readString(FILE));
  }
}
