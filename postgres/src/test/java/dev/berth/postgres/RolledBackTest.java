package dev.berth.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.berth.store.Claim;
import dev.berth.store.StoreException;
import dev.berth.store.Submission;
import dev.berth.testkit.Claimer;
import dev.berth.testkit.Draft;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The database rolls a call back in favour of somebody else, as it does in a deadlock. */
class RolledBackTest {

  private static final List<Submission> TASK = List.of(Draft.task().submission());

  private final PostgresFixture fixture = PostgresFixture.on(Servers.NEWEST);
  private final TestDatabase database = fixture.database();
  private final PostgresStore store = fixture.store();

  @BeforeEach
  void make() {
    // a sequence, because it counts on through a rollback
    database.run(
        "create sequence public.tries",
        """
        create function lose() returns trigger language plpgsql as $$
        begin
          if nextval('public.tries') <= tg_argv[0]::integer then
            raise 'lost' using errcode = 'deadlock_detected';
          end if;
          return new;
        end $$
        """);
  }

  @AfterEach
  void close() {
    database.run("drop function public.lose cascade", "drop sequence public.tries");
    fixture.close();
  }

  @Test
  void aSubmitIsSentAgain() {
    loseTimes(1, "insert");

    store.submit(TASK);

    assertThat(database.count("select count(*) from berth_private.task")).isEqualTo(1);
  }

  @Test
  void anExchangeIsSentAgain() {
    store.submit(TASK);
    Claimer claimer = Claimer.open(store, "worker", Draft.TYPE);
    loseTimes(1, "update");

    List<Claim> claims = claimer.claim(1);

    assertThat(claims).hasSize(1);
  }

  @Test
  void whoLosesTwiceIsTold() {
    loseTimes(2, "insert");

    assertThatThrownBy(() -> store.submit(TASK))
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("somebody else came first");
  }

  private void loseTimes(int times, String event) {
    database.run(
        "create trigger lose before %s on berth_private.task for each row execute function lose(%d)"
            .formatted(event, times));
  }
}
