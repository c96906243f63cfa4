package dev.berth.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.berth.Berth;
import dev.berth.embedded.LocalPostgres;
import dev.berth.store.StoreException;
import org.junit.jupiter.api.Test;

/** A server that asks for passwords. */
class PasswordTest {

  @Test
  void aWrongPasswordIsSaidButNotShown() {
    try (LocalPostgres server = LocalPostgres.start()) {
      Sql.run(server.jdbcUrl(), "create role app login superuser password 'right'");
      String url = server.jdbcUrl().replaceAll("user=.*", "user=app&password=");

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
