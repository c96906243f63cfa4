package dev.berth.benchmarks;

import dev.berth.Berth;
import dev.berth.postgres.PostgresStore;
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
      types().forEach(type -> NoOp.submit(Berth.on(store), type, 1));
    }
    if (this == ONE_LIMITED) {
      int half = tasks / 2;
      Copies.of(database, names.getFirst(), half - 1);
      Copies.of(database, names.subList(1, TYPES), half / (TYPES - 1) - 1);
    } else {
      Copies.of(database, names, tasks / TYPES - 1);
    }
    database.execute("vacuum analyze berth.task");
  }
}
