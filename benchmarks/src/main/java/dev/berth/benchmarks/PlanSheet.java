package dev.berth.benchmarks;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The plans of some exchanges of one kind, each statement once, and what is wrong with them. */
final class PlanSheet {

  /** One row, or one for each worker, queue or type: reading them whole is the quickest way. */
  private static final Set<String> SMALL = Set.of("clock", "queue", "session", "task_type");

  /** Of a whole exchange, for each task that it claimed. */
  static final double MOST_ROWS_PER_TASK = 15;

  /** Of a statement, as many are shown. */
  private static final int LINES = 12;

  private final String title;
  private final String about;
  private final int mostRows;
  private final Map<String, List<Plan>> statements = new LinkedHashMap<>();
  private final List<Double> pages = new ArrayList<>();
  private int claimed;
  private double rows;

  /**
   * @param mostRows that any one scan may read in one exchange
   */
  PlanSheet(String title, String about, int mostRows) {
    this.title = title;
    this.about = about;
    this.mostRows = mostRows;
  }

  /** Adds what one exchange ran: the last plan is that of the call itself. */
  void add(List<Plan> plans, int tasks) {
    if (plans.isEmpty()) {
      throw new IllegalStateException("The server explained nothing of an exchange: " + title);
    }
    for (Plan plan : plans) {
      statements.computeIfAbsent(plan.statement(), statement -> new ArrayList<>()).add(plan);
      rows += plan.rows();
    }
    pages.add((double) plans.getLast().pages());
    claimed += tasks;
  }

  String title() {
    return title;
  }

  int claimed() {
    return claimed;
  }

  double rowsPerTask() {
    return rows / Math.max(1, claimed);
  }

  double rowsPerExchange() {
    return rows / pages.size();
  }

  /** Of an exchange, the median. */
  double pages() {
    return new Samples(pages).median();
  }

  /** Sentences that name statement, node and figure. */
  List<String> faults() {
    List<String> faults = new ArrayList<>();
    if (claimed > 0 && rowsPerTask() > MOST_ROWS_PER_TASK) {
      faults.add(
          "%s: exchanges read %s rows for each task that they claimed, more than %s"
              .formatted(title, Text.number(rowsPerTask()), Text.number(MOST_ROWS_PER_TASK)));
    }
    for (List<Plan> plans : statements.values()) {
      for (Plan.Scan scan : worst(plans).scans()) {
        if (scan.sequential() && !SMALL.contains(scan.table())) {
          faults.add(fault(plans, scan, "a table that grows is read from end to end"));
        } else if (scan.rows() > mostRows) {
          faults.add(fault(plans, scan, "more than %,d".formatted(mostRows)));
        }
      }
    }
    return faults;
  }

  private String fault(List<Plan> plans, Plan.Scan scan, String why) {
    return "%s: \"%s\" read %,.0f rows by %s, %s"
        .formatted(title, worst(plans).shortStatement(), scan.rows(), scan.node(), why);
  }

  /** The run of a statement that read most: seq scans first, wherever they were. */
  private static Plan worst(List<Plan> plans) {
    return plans.stream()
        .max(
            Comparator.<Plan, Boolean>comparing(plan ->
                    plan.scans().stream()
                        .anyMatch(s -> s.sequential() && !SMALL.contains(s.table())))
                .thenComparing(Plan::rows))
        .orElseThrow();
  }

  /** For people, with a heading that says what it is. */
  String text(String server) {
    StringBuilder text = new StringBuilder();
    text.append("# ").append(title).append('\n');
    about.lines().forEach(line -> text.append("# ").append(line).append('\n'));
    text.append(
        """
        #
        # %s
        # %d exchanges claimed %,d tasks: %s rows read for each exchange, %s pages touched (median)
        #
        # Written by ./berth bench plans: EXPLAIN (ANALYZE, BUFFERS) of every statement of the exchange that reads a
        # table, without times, which depend on the machine. Of one that ran more than once, the run that read most.
        """
            .formatted(
                server,
                pages.size(),
                claimed,
                Text.number(rowsPerExchange()),
                Text.number(pages())));
    int number = 0;
    for (List<Plan> plans : statements.values()) {
      Plan plan = worst(plans);
      if (!plan.scans().isEmpty()) {
        number++;
        text.append(
            "\n-- %d. %s, at most %,.0f rows read\n%s\n\n"
                .formatted(number, runs(plans.size()), plan.rows(), beginning(plan.statement())));
        plan.text().lines().forEach(line -> text.append("    ").append(line).append('\n'));
      }
    }
    return text.toString();
  }

  private static String runs(int count) {
    return count == 1 ? "1 run" : count + " runs";
  }

  /** All of it is in the migrations. */
  private static String beginning(String statement) {
    List<String> lines = statement.lines().map(String::stripTrailing).toList();
    return lines.size() <= LINES
        ? String.join("\n", lines)
        : String.join("\n", lines.subList(0, LINES))
            + "\n… %d more lines".formatted(lines.size() - LINES);
  }
}
