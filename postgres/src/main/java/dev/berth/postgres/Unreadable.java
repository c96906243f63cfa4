package dev.berth.postgres;

import dev.berth.store.ExchangeRequest;
import dev.berth.store.SessionRequest;
import dev.berth.store.SessionRequest.Handled;
import dev.berth.store.StoreException;
import java.sql.ResultSet;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Fails tasks that no claim can read, where a claim was refused: one bad row costs one task. */
final class Unreadable {

  /** What is looked for in vain costs as much as what is found. */
  private static final long EVERY_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** A look at ten thousand tasks may find nothing; a worker waits for the end of this. */
  private static final long LONGEST_NANOS = TimeUnit.SECONDS.toNanos(2);

  private static final Logger log = LoggerFactory.getLogger(Unreadable.class);

  private final Database database;
  private long lookedAt = System.nanoTime() - EVERY_NANOS;
  private @Nullable UUID after;

  Unreadable(Database database) {
    this.database = database;
  }

  /** Whether there were some, so that the claim may be tried again. */
  synchronized boolean failed(SessionRequest worker, ExchangeRequest refused) {
    if (System.nanoTime() - lookedAt < EVERY_NANOS) {
      return false;
    }
    try {
      int failed;
      long until = System.nanoTime() + LONGEST_NANOS;
      do {
        failed = look(worker, refused);
      } while (failed == 0 && after != null && System.nanoTime() - until < 0);
      if (failed > 0) {
        log.error("Nobody could read {} tasks: they have failed, and say why", failed);
      }
      return failed > 0;
    } catch (StoreException e) {
      log.warn("A claim was refused, and no task was found that is the reason", e);
      return false;
    } finally {
      lookedAt = System.nanoTime();
    }
  }

  private int look(SessionRequest worker, ExchangeRequest refused) {
    return database.connected(
        "look for tasks that nobody can read",
        connection ->
            Database.run(
                connection,
                Statements.FAIL_UNREADABLE,
                statement -> {
                  statement.setArray(1, Arrays.texts(connection, refused.queues()));
                  statement.setArray(
                      2, Arrays.of(connection, "text", worker.types(), Handled::type));
                  statement.setObject(3, after);
                  try (ResultSet row = statement.executeQuery()) {
                    row.next();
                    after = row.getObject("last", UUID.class);
                    return row.getInt("failed");
                  }
                }));
  }
}
