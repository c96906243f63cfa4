package dev.berth.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import dev.berth.limit.LimitKey;
import dev.berth.store.Command;
import dev.berth.testkit.Claimer;
import dev.berth.view.LimitView;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What is said of the limit of a type while very many of its tasks wait. */
class ManyTasksTest {

  private static final int TASKS = 2 * Commands.TASKS_AT_ONCE + 500;
  private static final LimitKey OURS = LimitKey.ofType("ours");

  private final String url = Servers.NEWEST.database();

  /** Who changes a task keeps it from all claims until the end of the transaction. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void noTransactionKeepsMoreThanAPartOfThem(boolean known) {
    try (HikariDataSource pool = Servers.pool(url, 6);
        PostgresStore store = PostgresStore.of(pool)) {
      submit(known ? "'{\"limit/gpu\": 9}'" : "null");
      Claimer claimer = Claimer.open(store, "worker", "ours");
      assertThat(claimer.claim(5)).hasSize(5);
      countChanges();

      store.apply(new Command.SetLimit(OURS, 7));

      assertThat(
              Sql.query(
                  url, "select max(tasks) <= " + Commands.TASKS_AT_ONCE + " from public.changes"))
          .containsExactly("t");
      assertThat(
              Sql.query(
                  url, "select count(*) from berth_private.task where 'type/ours' = any (limits)"))
          .containsExactly("" + TASKS);
      assertThat(claimAll(claimer)).isEqualTo(2);
      assertThat(store.reader().drift()).isEmpty();
      assertThat(store.reader().limits())
          .filteredOn(limit -> limit.key().equals(OURS))
          .singleElement()
          .matches(limit -> limit.used() == 7 && limit.waiting() == TASKS - 7, "7 are in use")
          .extracting(LimitView::source)
          .isEqualTo(LimitView.Source.OVERRIDE);
    }
  }

  private void submit(String limits) {
    Sql.run(
        url,
        """
        insert into berth_private.task (id, position, due_at, submitted_at, state, type, queue, payload,
                                lane, limits, weights, said_slots)
        select berth_private.new_id(), c.now, c.now, c.now, 'ready', 'ours', 'default', '{}',
               l.lane, l.limits, l.weights, l.said_slots
          from generate_series(1, %d) as n
         cross join berth_private.now() as c (now)
         cross join berth_private.sql_lane('ours', %s) l
        """
            .formatted(TASKS, limits));
  }

  /** A claim looks at limited work when it has to do with some: now and then in any case. */
  private static int claimAll(Claimer claimer) {
    int claimed = 0;
    for (int exchange = 0; exchange < 12; exchange++) {
      claimed += claimer.claim(50).size();
    }
    return claimed;
  }

  /** From now on each transaction writes down how many tasks it has changed. */
  private void countChanges() {
    Sql.run(
        url,
        "create table public.changes (transaction bigint primary key, tasks bigint)",
        """
        create function count_changes() returns trigger language plpgsql as $$
        begin
          insert into public.changes as c values (txid_current(), (select count(*) from changed))
          on conflict (transaction) do update set tasks = c.tasks + excluded.tasks;
          return null;
        end $$
        """,
        "create trigger counts after update on berth_private.task referencing new table as changed"
            + " for each statement execute function count_changes()");
  }
}
