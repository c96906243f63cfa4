package dev.berth.postgres;

import dev.berth.limit.Need;
import dev.berth.store.Held;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** Slots without a task: taken and given back by a statement each. */
record Holds(Database database, Hints hints) {

  Held hold(WorkerSession session, long number, Need need) {
    return database.run(
        "hold slots of " + need.key(),
        Statements.HOLD,
        statement -> {
          statement.setLong(1, session.id());
          statement.setObject(2, session.proof());
          statement.setLong(3, number);
          statement.setString(4, need.key().value());
          statement.setInt(5, need.weight());
          statement.setInt(6, need.slots());
          try (ResultSet row = statement.executeQuery()) {
            row.next();
            return answer(row.getString("verdict"), row.getLong("token"));
          }
        });
  }

  boolean release(WorkerSession session, long number) {
    Optional<List<Hint>> freed =
        database.run(
            "release slots of session " + session.id(),
            Statements.RELEASE,
            statement -> {
              statement.setLong(1, session.id());
              statement.setObject(2, session.proof());
              statement.setLong(3, number);
              try (ResultSet row = statement.executeQuery()) {
                row.next();
                return row.getBoolean("released") ? Optional.of(hints(row)) : Optional.empty();
              }
            });
    freed.ifPresent(hints::tell);
    return freed.isPresent();
  }

  private static Held answer(String verdict, long token) {
    return switch (verdict) {
      case "done" -> new Held.Done(token);
      case "full" -> new Held.NoSlot();
      case "lost" -> new Held.SessionLost();
      default -> throw new IllegalStateException("Unknown verdict " + verdict);
    };
  }

  private static List<Hint> hints(ResultSet row) throws SQLException {
    return Arrays.texts(row, "queues").stream()
        .<Hint>map(queue -> new Hint.Ready(queue, Hint.Ready.LANES, Instant.EPOCH))
        .toList();
  }
}
