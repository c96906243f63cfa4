package dev.berth.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariPoolMXBean;
import dev.berth.limit.LimitKey;
import dev.berth.limit.Need;
import dev.berth.store.Exchanged;
import dev.berth.store.SessionRequest;
import dev.berth.testkit.Claimer;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A session that is lost keeps no connection. */
class LostSessionTest {

  private final PostgresFixture fixture = PostgresFixture.on(Servers.NEWEST);

  @AfterEach
  void close() {
    fixture.close();
  }

  @Test
  void aLostSessionGivesItsConnectionsBack() {
    PostgresStore store = fixture.store();
    HikariPoolMXBean pool = fixture.database().pool().getHikariPoolMXBean();
    int before = pool.getActiveConnections();
    for (int i = 0; i < 10; i++) {
      Claimer claimer = Claimer.open(store, "worker", "t");
      claimer.heartbeat();
      assertThat(claimer.claim(1)).isEmpty();
      var holder =
          store.open(new SessionRequest("holder", List.of(), List.of(), Duration.ofSeconds(30), 1));
      store.hold(holder.id(), 1, new Need(LimitKey.shared("gpu"), 1, 1));
      fixture.advance(Duration.ofHours(1));
      store.sweep();
      assertThat(claimer.heartbeat().alive()).isFalse();
      assertThat(claimer.exchange(List.of(), 1)).isInstanceOf(Exchanged.SessionLost.class);
      assertThat(
              store
                  .heartbeat(holder.id(), new dev.berth.view.Capacity(1, 1, 0), java.util.Map.of())
                  .alive())
          .isFalse();
    }
    assertThat(pool.getActiveConnections()).isLessThanOrEqualTo(before + 1);
  }
}
