package dev.berth.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** A worker with a heap of 256 MB, and tasks that do not fit into it together. */
class SmallHeapTest {

  private static final Duration PATIENCE = Duration.ofMinutes(2);
  private static final String HEAP = "-Xmx256m";

  /** 600 MB of payloads, which are in the table although the cap is lower by now. */
  @Test
  void aWorkerOutlivesPayloadsThatDoNotFitTogether() {
    try (TestDatabase database = TestDatabase.on(Servers.NEWEST)) {
      database.run(
          "select berth.set_size_cap(10000000)",
          "select berth.submit('parcel', jsonb_build_object('content', repeat('x', 5000000)))"
              + " from generate_series(1, 120)",
          "select berth.submit('nap', '{\"millis\": 0}') from generate_series(1, 20)",
          "select berth.set_size_cap(1048576)");
      try (WorkerProcess worker = WorkerProcess.start(HEAP, database.url(), Map.of()).awaitUp()) {
        await().atMost(PATIENCE).until(() -> finished(database) == 140);

        assertThat(worker.stats()).containsEntry("sessionsLost", 0L);
      }
      assertThat(database.query("select outcome from berth.attempts where outcome <> 'finished'"))
          .isEmpty();
    }
  }

  /** It is claimed with others, goes back with them, and is then claimed alone. */
  @Test
  void aPayloadThatIsTooLargeForTheHeapFailsAndTheOthersRun() {
    try (TestDatabase database = TestDatabase.on(Servers.NEWEST)) {
      database.run(
          "select berth.set_size_cap(100000000)",
          "select berth.submit('nap', '{\"millis\": 0}') from generate_series(1, 20)",
          "select berth.submit('parcel', jsonb_build_object('content', repeat('x', 90000000)))",
          "select berth.submit('nap', '{\"millis\": 0}') from generate_series(1, 20)");
      try (WorkerProcess worker =
          WorkerProcess.start("-Xmx128m", database.url(), Map.of()).awaitUp()) {
        await().atMost(PATIENCE).until(() -> finished(database) == 40);
        await()
            .atMost(PATIENCE)
            .until(() ->
                database
                    .query("select error from berth.tasks where state = 'FAILED'")
                    .equals(
                        List.of(
                            "The payload did not fit into the memory of its worker: give it a"
                                + " larger heap, or keep what is large elsewhere and submit where"
                                + " it is")));

        assertThat(worker.stats()).containsEntry("sessionsLost", 0L);
      }
    }
  }

  @Test
  void aWorkerOutlivesStatementsThatFloodIt() throws Exception {
    try (SqlTaskFixture fixture = new SqlTaskFixture(Servers.NEWEST);
        WorkerProcess worker =
            WorkerProcess.start(HEAP, fixture.database.url(), Map.of(), "berth_runner").awaitUp()) {
      for (int i = 0; i < 3; i++) {
        fixture.launch(
            "alice",
            "set client_min_messages = notice; do $$ begin loop raise notice 'again'; end loop;"
                + " end $$");
        fixture.launch("alice", "do $$ begin raise exception '%', repeat('x', 60000000); end $$");
      }
      fixture.database.run(
          "select berth.submit('nap', '{\"millis\": 0}') from generate_series(1, 20)");

      await().atMost(PATIENCE).until(() -> finished(fixture.database) == 20);
      await()
          .atMost(PATIENCE)
          .until(() ->
              fixture.database.count("select count(*) from berth.sql_tasks where state = 'failed'")
                  == 6);
      assertThat(worker.stats()).containsEntry("inFlight", 0L).containsEntry("sessionsLost", 0L);
      assertThat(fixture.database.query("select worker from berth.sessions")).hasSize(1);
    }
  }

  private static long finished(TestDatabase database) {
    return database.count("select count(*) from berth.tasks where state = 'FINISHED'");
  }
}
