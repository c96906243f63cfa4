package dev.berth.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLWarning;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The plans of a call and of every statement inside it, as auto_explain tells them. */
final class Plans {

  private static final Pattern PAGES =
      Pattern.compile("Buffers: shared(?: hit=(\\d+))?(?: read=(\\d+))?");

  /** Reading the table, or an index past rows that do not fit. */
  private static final Pattern TOO_MUCH =
      Pattern.compile(
          "Seq Scan on task\\b|Rows Removed by (?:Filter|Join Filter|Index Recheck): \\d{3}");

  private Plans() {}

  /** From now on the calls on this connection are explained. */
  static void explainEverything(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      for (String sql :
          List.of(
              "load 'auto_explain'",
              "set auto_explain.log_min_duration = 0",
              "set auto_explain.log_nested_statements = on",
              "set auto_explain.log_analyze = on",
              "set auto_explain.log_buffers = on",
              "set auto_explain.log_timing = off",
              "set auto_explain.log_level = notice")) {
        statement.execute(sql);
      }
    }
  }

  /**
   * How many pages the call touched whose rows were read. None of its statements may have read more
   * than it needs.
   */
  static long pages(Statement call) throws SQLException {
    List<String> plans = new ArrayList<>();
    for (SQLWarning said = call.getWarnings(); said != null; said = said.getNextWarning()) {
      if (said.getMessage().contains("Query Text")) {
        plans.add(said.getMessage());
      }
    }
    assertThat(plans).isNotEmpty().noneMatch(plan -> TOO_MUCH.matcher(plan).find());
    Matcher whole = PAGES.matcher(plans.getLast()); // the call as a whole is explained last
    return whole.find() ? number(whole.group(1)) + number(whole.group(2)) : 0;
  }

  private static long number(String digits) {
    return digits == null ? 0 : Long.parseLong(digits);
  }
}
