package dev.berth.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.limit.LimitKey;
import dev.berth.postgres.RawExchange.Claimed;
import dev.berth.testkit.Draft;
import java.sql.SQLException;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A session that has all slots of a limit is not noted as waiting for it. Yet what came meanwhile
 * must start when one falls free, without a scan or a poll.
 */
class FreedSlotTest {

  private final PostgresFixture fixture = PostgresFixture.on(Servers.NEWEST);

  @AfterEach
  void close() {
    fixture.close();
  }

  @ParameterizedTest
  @ValueSource(strings = {"pool", "type", "key"})
  void whatCameMeanwhileStarts(String kind) throws SQLException {
    LimitKey key =
        switch (kind) {
          case "pool" -> LimitKey.shared("gpu");
          case "type" -> LimitKey.ofType(RawExchange.TYPE);
          default -> LimitKey.ofTypePer(RawExchange.TYPE, "user", "7");
        };
    submit(key);
    try (RawExchange exchange = RawExchange.open(fixture.database().url())) {
      List<Claimed> running = exchange.lanes(List.of(), null, 5).claims();
      assertThat(running).hasSize(1);
      submit(key);
      assertThat(exchange.lanes(List.of(), null, 5).claims()).isEmpty();

      assertThat(exchange.freed(running, 5).claims()).hasSize(1);
    }
  }

  private void submit(LimitKey key) {
    Draft draft = Draft.task().type(RawExchange.TYPE).under(key, 1);
    fixture.store().submit(List.of(draft.submission()));
  }
}
