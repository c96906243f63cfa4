package dev.berth.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.berth.worker.Worker;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A statement may send as much as it likes; the worker takes in as much as it can bear. */
class SqlFloodTest {

  private static final String LOUD = "set client_min_messages = notice; ";

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "true  | do $$ begin for i in 1 .. 100000 loop raise notice 'notice %', i; end loop; end"
            + " $$",
        "true  | do $$ begin raise exception '%', repeat('x', 60000000); end $$",
        "true  | do $$ begin raise notice '%', repeat('x', 60000000); end $$",
        "false | select repeat('x', 1000) from generate_series(1, 100000)",
      })
  void itFailsWithASentence(boolean transaction, String statement) throws Exception {
    try (SqlTaskFixture fixture = new SqlTaskFixture(Servers.NEWEST)) {
      Worker worker = fixture.work(fixture.launchers(), builder -> builder);
      String loud = transaction ? LOUD + statement : statement;
      String id = fixture.launch("alice", loud, ", transaction => " + transaction);

      fixture.awaitState(id, "failed");
      assertThat(fixture.see(id, "errors"))
          .isEqualTo(
              "attempt 1: The statement sent more than 4,000,000 bytes of rows, notices or errors"
                  + " to the worker: let it write its rows into a table, and raise fewer notices");
      fixture.awaitState(fixture.launch("alice", "select 1"), "finished");
      await().until(() -> worker.stats().inFlight() == 0);
    }
  }

  /** Nobody reads them. */
  @ParameterizedTest
  @CsvSource({"true", "false"})
  void noticesThatNobodyAskedForDoNotComeAtAll(boolean transaction) throws Exception {
    try (SqlTaskFixture fixture = new SqlTaskFixture(Servers.NEWEST)) {
      fixture.work(fixture.launchers(), builder -> builder);
      String id =
          fixture.launch(
              "alice",
              "do $$ begin for i in 1 .. 50000 loop raise notice '%', i; end loop; end $$",
              ", transaction => " + transaction);

      fixture.awaitState(id, "finished");
      assertThat(List.of(fixture.see(id, "retry_count"))).containsExactly("0");
    }
  }
}
