package dev.berth.postgres;

import dev.berth.store.StoreException;
import dev.berth.store.StoreException.Kind;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.util.Set;
import org.postgresql.util.PSQLException;

/** What a database error means for the caller. */
final class Failures {

  /** A pooler gave the connection another server process than the one that prepared. */
  private static final Set<String> PREPARED_BY_ANOTHER = Set.of("42P05", "26000");

  private static final String LOCKED = "55P03";

  private Failures() {}

  /** Whether it waited too long for a lock that somebody else holds. */
  static boolean isLocked(StoreException e) {
    return e.getCause() instanceof SQLException cause && isLocked(cause);
  }

  static boolean isLocked(SQLException e) {
    return LOCKED.equals(e.getSQLState());
  }

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
      case "23" -> state.equals("23514") ? ofCheck(e) : Kind.CONFLICT;
      case "3F", "42" -> Kind.CORRUPT;
      // built for another version of the schema
      case "0A" -> Kind.CORRUPT;
      case "XX" -> Kind.CORRUPT;
      default -> Kind.INVALID;
    };
  }

  /** Without a name, an insert met a history partition that was being made: the next finds it. */
  private static Kind ofCheck(SQLException e) {
    return e instanceof PSQLException said
            && said.getServerErrorMessage() != null
            && said.getServerErrorMessage().getConstraint() != null
        ? Kind.INVALID
        : Kind.UNAVAILABLE;
  }

  private static String sentence(Kind kind, String state, SQLException e) {
    return switch (kind) {
      case UNAVAILABLE ->
          switch (state) {
            case LOCKED -> "somebody else holds a lock that it needs (" + firstLine(e) + ")";
            case "40001", "40P01" -> "somebody else came first, try again (" + firstLine(e) + ")";
            default -> "the database does not answer (" + firstLine(e) + ")";
          };
      case CORRUPT ->
          state.startsWith("0A")
              ? firstLine(e)
              : state.startsWith("42501")
                  ? firstLine(e)
                      + "; an administrator allows it with berth.allow_submit, berth.allow_work,"
                      + " berth.allow_read or berth.allow_launch, and what steers the queue is for"
                      + " the owner of schema berth"
                  : firstLine(e) + "; is the schema up to date? (berth migrate)";
      default ->
          PREPARED_BY_ANOTHER.contains(state)
              ? firstLine(e)
                  + "; behind PgBouncer in transaction mode add prepareThreshold=0 to the URL"
              : firstLine(e);
    };
  }

  static String firstLine(SQLException e) {
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
