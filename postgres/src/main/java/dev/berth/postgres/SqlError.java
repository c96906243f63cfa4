package dev.berth.postgres;

import java.sql.SQLException;
import java.util.Objects;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.postgresql.util.PSQLException;
import org.postgresql.util.ServerErrorMessage;

/** The error of a statement, as its launcher reads it. */
final class SqlError {

  /** The connection broke, or the server was stopped. */
  private static final Pattern LOST = Pattern.compile("08...|57P0[1-5]");

  private SqlError() {}

  /** SQLSTATE, message, detail and hint. */
  static String text(SQLException error) {
    ServerErrorMessage server =
        error instanceof PSQLException of ? of.getServerErrorMessage() : null;
    String state = Objects.requireNonNullElse(error.getSQLState(), "?");
    return server == null
        ? state + ": " + error.getMessage()
        : state
            + ": "
            + server.getMessage()
            + part("Detail", server.getDetail())
            + part("Hint", server.getHint());
  }

  static boolean lost(SQLException error) {
    String state = error.getSQLState();
    return state == null || LOST.matcher(state).matches();
  }

  private static String part(String name, @Nullable String text) {
    return text == null ? "" : "\n" + name + ": " + text;
  }
}
