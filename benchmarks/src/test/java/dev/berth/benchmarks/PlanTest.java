package dev.berth.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class PlanTest {

  /** As PostgreSQL 18 writes it; older versions write whole numbers. */
  private static final String MESSAGE =
      """
      duration: 0.204 ms  plan:
      Query Text: select t.id
        from berth_private.task t
       where t.queue = p_queue
      Nested Loop  (cost=0.30..79.32 rows=1 width=190) (actual rows=10.00 loops=1)
        Buffers: shared hit=42 read=3
        ->  Function Scan on o  (cost=0.01..0.11 rows=10 width=200) (actual rows=10.00 loops=1)
        ->  Index Scan Backward using task_pkey on task t  (cost=0.29..7.91 rows=1 width=31) (actual rows=1.00 loops=10)
              Index Cond: (id = o.id)
              Filter: (session_id = $1)
              Rows Removed by Filter: 4
              Index Searches: 1
              Buffers: shared hit=40
        ->  Seq Scan on task_history_2025 h  (cost=0.00..1.00 rows=1 width=1) (never executed)
        ->  Seq Scan on clock  (cost=0.00..1.00 rows=1 width=1) (actual time=0.001..0.002 rows=1 loops=1)
      """;

  @Test
  void readsWhatTheServerSays() {
    Plan plan = Plan.of(MESSAGE);

    assertThat(plan.statement())
        .isEqualTo("select t.id\n  from berth_private.task t\n where t.queue = p_queue");
    assertThat(plan.shortStatement())
        .isEqualTo("select t.id from berth_private.task t where t.queue = p_queue");
    assertThat(plan.text()).startsWith("Nested Loop").endsWith("loops=1)");
    assertThat(plan.pages()).isEqualTo(45);
    assertThat(plan.scans())
        .containsExactly(
            new Plan.Scan("Index Scan Backward using task_pkey on task t", "task", 50),
            new Plan.Scan("Seq Scan on task_history_2025 h", "task_history_2025", 0),
            new Plan.Scan("Seq Scan on clock", "clock", 1));
    assertThat(plan.rows()).isEqualTo(51);
  }

  @Test
  void aTableThatGrowsMustNotBeReadFromEndToEnd() {
    PlanSheet sheet = new PlanSheet("some-claim", "about", 1_000);
    sheet.add(List.of(Plan.of(MESSAGE)), 10);

    assertThat(sheet.faults())
        .singleElement()
        .asString()
        .contains(
            "some-claim", "select t.id from berth_private.task", "0 rows", "task_history_2025");
  }

  @Test
  void aScanMustNotReadMoreThanItsTasksExplain() {
    PlanSheet sheet = new PlanSheet("some-claim", "about", 49);
    sheet.add(
        List.of(Plan.of(MESSAGE.replace("Seq Scan on task_", "Index Scan using x on y_"))), 10);

    assertThat(sheet.faults())
        .singleElement()
        .asString()
        .contains(
            "\"select t.id", "50 rows by Index Scan Backward using task_pkey", "more than 49");
  }

  @Test
  void anExchangeMustNotReadMuchForEachTask() {
    PlanSheet sheet = new PlanSheet("some-claim", "about", 1_000);
    Plan plan = Plan.of(MESSAGE.replace("Seq Scan on task_", "Index Scan using x on y_"));
    sheet.add(List.of(plan, plan), 4);

    assertThat(sheet.faults()).singleElement().asString().contains("26 rows for each task");
  }

  @Test
  void aSheetHasEachStatementOnce() {
    PlanSheet sheet = new PlanSheet("some-claim", "What was done.", 1_000);
    Plan more = Plan.of(MESSAGE.replace("Filter: 4", "Filter: 99"));
    sheet.add(List.of(Plan.of(MESSAGE)), 10);
    sheet.add(List.of(more), 10);

    assertThat(sheet.text("PostgreSQL 18"))
        .startsWith(
            "# some-claim\n# What was done.\n#\n# PostgreSQL 18\n# 2 exchanges claimed 20 tasks")
        .containsOnlyOnce("select t.id")
        .contains("-- 1. 2 runs, at most 1,001 rows read", "Rows Removed by Filter: 99");
  }
}
