package dev.berth.benchmarks;

import dev.berth.postgres.PostgresStore;
import dev.berth.store.Submissions;
import dev.berth.task.Codec;
import dev.berth.task.SubmitOptions;
import dev.berth.task.TaskType;
import java.sql.SQLException;
import java.util.List;
import java.util.Locale;
import java.util.stream.IntStream;

/** What waits in the queue while plans are looked at. */
enum PlanFilling {
  BASELINE("without limits"),
  ONE_LIMITED("half of them of one type, which is limited at " + PlanFilling.SLOTS),
  ALL_LIMITED("each type limited at " + PlanFilling.SLOTS);

  /** Whatever columns there are, so that copies are as complete as what was submitted. */
  private static final String COPY =
      """
      do $$
      declare
        v_columns text;
        v_values  text;
      begin
        select string_agg(quote_ident(attname), ', ' order by attnum),
               string_agg(
                 case attname
                   when 'id' then 'berth_private.new_id()'
                   when 'position' then 't.position + n * interval ''1 microsecond'''
                   else 't.' || quote_ident(attname) end,
                 ', ' order by attnum)
          into v_columns, v_values
          from pg_attribute where attrelid = 'berth_private.task'::regclass and attnum > 0 and not attisdropped;
        execute format(
          'insert into berth_private.task (%%s) select %%s from generate_series(1, %d) n cross join berth_private.task t
            where t.type = any (%%L)', v_columns, v_values, '{%s}');
      end $$
      """;

  static final int TYPES = 100;
  static final int SLOTS = 10;

  private final String means;

  PlanFilling(String means) {
    this.means = means;
  }

  /** As files and ratios are called. */
  String label() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  String about(int tasks) {
    return "%,d tasks of %d types wait, %s.".formatted(tasks, TYPES, means);
  }

  List<TaskType<NoOp, Void>> types() {
    return IntStream.range(0, TYPES).mapToObj(this::type).toList();
  }

  private TaskType<NoOp, Void> type(int number) {
    TaskType<NoOp, Void> type = TaskType.of("no_op_" + number, NoOp.class);
    return isLimited(number) ? type.limit(SLOTS) : type;
  }

  /** Those with a limit. */
  List<TaskType<NoOp, Void>> limited() {
    return IntStream.range(0, TYPES).filter(this::isLimited).mapToObj(this::type).toList();
  }

  private boolean isLimited(int number) {
    return this == ALL_LIMITED || (this == ONE_LIMITED && number == 0);
  }

  /** One of each type is submitted, the server copies them. */
  void fill(BenchDatabase database, int tasks) throws SQLException {
    List<String> names = types().stream().map(TaskType::name).toList();
    try (PostgresStore store = database.store()) {
      Submissions submissions = new Submissions(Codec.installed());
      store.submit(
          types().stream()
              .map(type -> submissions.of(type, NoOp.of(1), SubmitOptions.DEFAULT))
              .toList());
    }
    if (this == ONE_LIMITED) {
      int half = tasks / 2;
      copy(database, names.subList(0, 1), half - 1);
      copy(database, names.subList(1, TYPES), half / (TYPES - 1) - 1);
    } else {
      copy(database, names, tasks / TYPES - 1);
    }
    database.execute("vacuum analyze berth_private.task");
  }

  private static void copy(BenchDatabase database, List<String> types, int copies)
      throws SQLException {
    database.execute(COPY.formatted(copies, String.join(",", types)));
  }
}
