package dev.berth.postgres;

import dev.berth.store.StoreException;
import dev.berth.store.StoreException.Kind;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.util.Set;

/** What a database error means for the caller. */
final class Failures {

  /** A pooler gave the connection another server process than the one that prepared. */
  private static final Set<String> PREPARED_BY_ANOTHER = Set.of("42P05", "26000");

  private Failures() {}

  /** The error as a sentence that says what could not be done and what to do about it. */
  static StoreException of(String doing, SQLException e) {
    String state = e.getSQLState() == null ? "" : e.getSQLState();
    Kind kind = kind(state, e);
    return new StoreException(kind, "Could not " + doing + ": " + sentence(kind, state, e), e);
  }

  private static Kind kind(String state, SQLException e) {
    if (e instanceof SQLTransientConnectionException || state.isEmpty()) {
      return Kind.UNAVAILABLE;
    }
    if (PREPARED_BY_ANOTHER.contains(state)) {
      return Kind.INVALID;
    }
    return switch (state.substring(0, 2)) {
      // connection, resources, operator intervention, system error: all may pass
      case "08", "53", "57", "58" -> Kind.UNAVAILABLE;
      // serialisation failure, deadlock: the transaction was rolled back, a repeat may succeed
      case "40", "55" -> Kind.UNAVAILABLE;
      // an insert met a history partition that was being made: the next one finds it
      case "23" -> state.equals("23514") ? Kind.UNAVAILABLE : Kind.CONFLICT;
      case "3F", "42" -> Kind.CORRUPT;
      case "XX" -> Kind.CORRUPT;
      default -> Kind.INVALID;
    };
  }

  private static String sentence(Kind kind, String state, SQLException e) {
    return switch (kind) {
      case UNAVAILABLE ->
          state.startsWith("40")
              ? "somebody else came first, try again (" + firstLine(e) + ")"
              : "the database does not answer (" + firstLine(e) + ")";
      case CORRUPT ->
          state.startsWith("42501")
              ? firstLine(e) + "; grant this role the rights on schema berth"
              : firstLine(e) + "; is the schema up to date? (berth migrate)";
      default ->
          PREPARED_BY_ANOTHER.contains(state)
              ? firstLine(e)
                  + "; behind PgBouncer in transaction mode add prepareThreshold=0 to the URL"
              : firstLine(e);
    };
  }

  private static String firstLine(SQLException e) {
    // a pool says that it has no connection; why, says the driver
    SQLException said =
        e instanceof SQLTransientConnectionException && e.getCause() instanceof SQLException cause
            ? cause
            : e;
    String message = said.getMessage();
    return message == null
        ? said.getClass().getSimpleName()
        : message.lines().findFirst().orElse("");
  }
}
