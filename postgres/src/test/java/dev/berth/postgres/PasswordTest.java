package dev.berth.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.berth.Berth;
import dev.berth.embedded.LocalPostgres;
import dev.berth.store.StoreException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** A server that asks for passwords. */
class PasswordTest {

  @Test
  void aWrongPasswordIsSaidButNotShown() throws IOException {
    try (LocalPostgres server = LocalPostgres.start()) {
      Sql.run(server.jdbcUrl(), "create role app login superuser password 'right'");
      Path rules = server.directory().resolve("data").resolve("pg_hba.conf");
      Files.writeString(
          rules, "host all app 127.0.0.1/32 scram-sha-256\n" + Files.readString(rules));
      Sql.run(server.jdbcUrl(), "select pg_reload_conf()");
      String url = server.jdbcUrl().replace("user=postgres", "user=app&password=");

      assertThatExceptionOfType(StoreException.class)
          .isThrownBy(() -> Berth.open(url + "wrong"))
          .withMessage(
              "Could not connect to jdbc:postgresql://127.0.0.1:%d/postgres:"
                      .formatted(server.port())
                  + " FATAL: password authentication failed for user \"app\"");
      try (Berth berth = Berth.open(url + "right")) {
        assertThat(berth.reader().queues()).isEmpty();
      }
    }
  }
}
