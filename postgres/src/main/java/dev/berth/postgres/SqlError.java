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

  /** What comes back is not kept, but for a few rows of a task with a transaction. */
  static final String TOO_MUCH =
      "The statement sent more than %,d bytes of rows, notices or errors to the worker: let it write its rows into a table, and raise fewer notices"
          .formatted(BoundedSockets.MOST_BYTES);

  private SqlError() {}

  /** SQLSTATE, message, detail and hint. */
  static String text(SQLException error) {
    if (BoundedSockets.broke(error)) {
      return TOO_MUCH;
    }
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

  /** Whether nobody knows how the statement ended; it may still be at work. */
  static boolean lost(SQLException error) {
    String state = error.getSQLState();
    return state == null || LOST.matcher(state).matches();
  }

  private static String part(String name, @Nullable String text) {
    return text == null ? "" : "\n" + name + ": " + text;
  }
}
