package dev.berth.postgres;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;

/** Plain SQL for tests. */
final class Sql {

  private Sql() {}

  /** The same database as another role. */
  static String as(String role, String url) {
    return url.replace("user=postgres", "user=" + role);
  }

  static void run(String url, String... statements) {
    try (Connection connection = DriverManager.getConnection(url);
        Statement statement = connection.createStatement()) {
      for (String sql : statements) {
        statement.execute(sql);
      }
    } catch (SQLException e) {
      throw new AssertionError(e);
    }
  }

  /** The first arguments of a call by a session: the schema, the session and its proof. */
  static String caller(Object session) {
    return Migration.NEWEST + ", " + proven(session);
  }

  /** A session and its proof. */
  static String proven(Object session) {
    return "%1$s, (select proof from berth_private.session where id = %1$s)".formatted(session);
  }

  /** The first column of all rows, as text. */
  static List<String> query(String url, String sql) {
    try (Connection connection = DriverManager.getConnection(url);
        Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(sql)) {
      List<String> all = new ArrayList<>();
      while (rows.next()) {
        all.add(rows.getString(1));
      }
      return all;
    } catch (SQLException e) {
      throw new AssertionError(e);
    }
  }

  static String password(String url) {
    return url.replaceAll(".*[?&]password=([^&]*).*", "$1");
  }

  /** A report that began before what follows and is not over: it holds vacuum back. */
  static Connection longTransaction(String url) throws SQLException {
    Connection connection = DriverManager.getConnection(url);
    connection.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
    connection.setAutoCommit(false);
    try (Statement statement = connection.createStatement()) {
      statement.execute("select count(*) from berth_private.task");
    }
    return connection;
  }
}
