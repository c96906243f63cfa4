package dev.berth.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import dev.berth.Berth;
import dev.berth.limit.Limit;
import dev.berth.postgres.Proxy.Cut;
import dev.berth.postgres.Proxy.Cut.Moment;
import dev.berth.store.Claim;
import dev.berth.store.Ended;
import dev.berth.store.Exchanged;
import dev.berth.store.StoreException;
import dev.berth.task.Outcome;
import dev.berth.testkit.Claimer;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A large exchange hands in and claims at the same time, and is one exchange nevertheless. */
class HalvesTest {

  private static final int MANY = WorkerSession.MANY;

  /** What only the one half sends, */
  private static final String HANDS_IN = "finished";

  /** and what only the other does. */
  private static final String CLAIMS = "default";

  private final TestDatabase database = TestDatabase.on(Servers.NEWEST);
  private final Proxy proxy = Proxy.to(database.url());
  private final HikariDataSource pool = Servers.pool(proxy.url());
  private final PostgresStore store =
      PostgresStore.of(pool, PostgresOptions.DEFAULT.withoutWakeUps());
  private final Claimer claimer = Claimer.open(store, "w", Nap.TYPE.name());
  private List<Claim> running = List.of();

  @BeforeEach
  void runMany() {
    try (Berth direct = Berth.on(PostgresStore.of(database.pool()))) {
      direct.submitAll(Nap.TYPE, IntStream.range(0, 3 * MANY).mapToObj(number -> new Nap(0)));
    }
    running = claimer.claim(MANY);
  }

  @AfterEach
  void close() {
    store.close();
    pool.close();
    proxy.close();
    database.close();
  }

  @Test
  void bothAreThereWhenItReturns() {
    Exchanged.Done done = Claimer.done(claimer.exchange(finished(running), MANY));

    assertThat(done.claims()).hasSize(MANY);
    assertThat(done.refused()).isNull();
    assertThat(database.query("select count(*) from berth.attempts")).containsExactly("200");
    assertThat(database.query("select count(*) from berth_private.exchange_log"))
        .containsExactly("2");
  }

  @ParameterizedTest
  @CsvSource({
    "REQUEST, " + HANDS_IN,
    "REPLY_TO, " + HANDS_IN,
    "REQUEST, " + CLAIMS,
    "REPLY_TO, " + CLAIMS
  })
  void oneOfThemIsCutOff(Moment moment, String half) throws InterruptedException {
    Cut cut = proxy.cut(moment, half);
    assertThatThrownBy(() -> claimer.exchange(finished(running), MANY))
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("the database does not answer");
    cut.await();

    Exchanged.Done done = Claimer.done(claimer.repeat());

    assertThat(done.stale()).isEmpty();
    assertThat(done.claims()).hasSize(MANY);
    assertThat(claimer.endAll(done.claims(), new Outcome.Finished(null)).stale()).isEmpty();
    assertThat(database.query("select count(*) from berth_private.task_history"))
        .containsExactly("400");
    assertThat(claimer.claim(3 * MANY)).hasSize(MANY);
  }

  /** Work under limits was seen by the half that went through. */
  @Test
  void aRepeatGoesAsTheFirstTryWent() throws InterruptedException {
    try (Berth direct = Berth.on(PostgresStore.of(database.pool()))) {
      direct.submit(Nap.TYPE, new Nap(0), o -> o.queue("other").under(Limit.of("few", 1)));
      direct.submit(Nap.TYPE, new Nap(0), o -> o.queue("other").under(Limit.of("few", 1)));
    }
    Cut cut = proxy.cut(Moment.REQUEST, HANDS_IN);
    assertThatThrownBy(() -> claimer.exchange(finished(running), MANY, "other", "default"))
        .isInstanceOf(StoreException.class);
    cut.await();

    assertThat(Claimer.done(claimer.repeat()).claims()).hasSize(MANY);
    assertThat(database.query("select count(*) from berth.attempts")).containsExactly("200");
  }

  @Test
  void aWrongOutcomeKeepsTheOthersBackButNotTheClaims() {
    database.run(
        "create function public.refuse() returns trigger language plpgsql as"
            + " $$ begin raise exception 'not this one' using errcode = '22023'; end $$",
        "create trigger refuse before insert on berth_private.task_history for each row when"
            + " (new.task_id = '%s') execute function public.refuse()"
                .formatted(running.get(7).lease().task()));

    Exchanged.Done done = Claimer.done(claimer.exchange(finished(running), MANY));

    assertThat(done.claims()).hasSize(MANY);
    assertThat(done.refused()).isNotNull().hasMessageContaining("not this one");
    assertThat(database.query("select count(*) from berth.attempts")).containsExactly("0");
    database.run("drop trigger refuse on berth_private.task_history");
    assertThat(claimer.endAll(running, new Outcome.Finished(null)).stale()).isEmpty();
  }

  private static List<Ended> finished(List<Claim> claims) {
    return claims.stream()
        .map(claim -> new Ended(claim.lease(), new Outcome.Finished(null)))
        .toList();
  }
}
