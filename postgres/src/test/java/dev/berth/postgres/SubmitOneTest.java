package dev.berth.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.berth.Berth;
import dev.berth.limit.Limit;
import dev.berth.store.Store;
import dev.berth.task.SubmitOptions;
import dev.berth.task.TaskId;
import dev.berth.task.TaskType;
import dev.berth.worker.Worker;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A task that is submitted alone: what the short way writes, and who hears of it. */
class SubmitOneTest {

  private static final String ROWS =
      """
      select concat_ws(' ', state, due_at = submitted_at, position - submitted_at < interval '1 ms', attempt, priority,
                       type, queue, payload, metadata, lane, limits, weights, said_slots, quotas, workflow)
        from berth_private.task
      """;

  private final TestDatabase database = TestDatabase.on(Servers.NEWEST);
  private final PostgresStore here = PostgresStore.of(database.pool());
  private final PostgresStore elsewhere = PostgresStore.of(database.pool());

  @AfterEach
  void close() {
    here.close();
    elsewhere.close();
    database.close();
  }

  @Test
  void itWritesWhatABatchWrites() {
    Berth berth = Berth.on(here);
    UnaryOperator<SubmitOptions> options = o -> o.priority(8).metadata(Map.of("tenant", "a \"b\""));
    var limited = Nap.TYPE.limit(3).under(Limit.of("gpu", 4), 2);
    for (var type : List.of(Nap.TYPE, limited)) {
      berth.submit(type, new Nap(7), options);
      berth.submitAll(type, Stream.of(new Nap(7), new Nap(7)), options);

      assertThat(database.query(ROWS)).hasSize(3);
      assertThat(Set.copyOf(database.query(ROWS))).hasSize(1);
      database.run("delete from berth_private.task");
    }
  }

  @Test
  void aLimitOfItsTypeHoldsAlsoWhereItIsNotNamed() {
    var limited =
        Berth.on(here).worker().queue("other").handle(Nap.TYPE.limit(3), (nap, task) -> {});
    try (Worker worker = limited.start()) {
      List<String> heard = listen(here);
      TaskId id = Berth.on(elsewhere).submit(Nap.TYPE, new Nap(0));

      assertThat(database.query("select limits from berth_private.task where id = '" + id + "'"))
          .containsExactly("{type/nap}");
      await().until(() -> heard.contains(TaskType.DEFAULT_QUEUE));
    }
  }

  @Test
  void workersOfThisProcessHearOfItOnce() {
    List<String> heardHere = listen(here);
    List<String> heardElsewhere = listen(elsewhere);
    Berth.on(here).submit(Nap.TYPE, new Nap(0));
    await().until(() -> heardElsewhere.contains(TaskType.DEFAULT_QUEUE));

    // notifications come in the order in which they were sent
    Berth.on(elsewhere).submit(Nap.TYPE, new Nap(0), o -> o.queue("last"));
    await().until(() -> heardHere.contains("last"));
    assertThat(heardHere).containsExactly(TaskType.DEFAULT_QUEUE, "last");
  }

  /** The queues of the wake-ups. */
  private static List<String> listen(Store store) {
    List<String> heard = new CopyOnWriteArrayList<>();
    store.onWork(wakeUp -> heard.add(wakeUp.queue()));
    return heard;
  }
}
