package dev.berth.postgres;

import dev.berth.limit.LimitKey;
import dev.berth.limit.Need;
import dev.berth.store.Submission;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Tells the store the pace of limits that a submit or hold names, once for each limit in this
 * process. In a transaction of its own: a submit locks no limit.
 */
final class Paces {

  private static final int MOST_TOLD = 10_000;

  private final Database database;
  private final Set<LimitKey> told = ConcurrentHashMap.newKeySet();

  Paces(Database database) {
    this.database = database;
  }

  void named(List<Submission> batch) {
    Map<LimitKey, Duration> fresh = new TreeMap<>();
    for (Submission submission : batch) {
      if (!submission.lane().open()) {
        submission.lane().needs().forEach(need -> add(need, fresh));
      }
    }
    tell(fresh);
  }

  void named(Need need) {
    Map<LimitKey, Duration> fresh = new TreeMap<>();
    add(need, fresh);
    tell(fresh);
  }

  static @Nullable Long micros(@Nullable Duration pace) {
    return pace == null ? null : TimeUnit.MICROSECONDS.convert(pace);
  }

  private void add(Need need, Map<LimitKey, Duration> fresh) {
    Optional.ofNullable(need.pace())
        .filter(pace -> !told.contains(need.key()))
        .ifPresent(pace -> fresh.putIfAbsent(need.key(), pace));
  }

  private void tell(Map<LimitKey, Duration> fresh) {
    if (fresh.isEmpty()) {
      return;
    }
    Collection<LimitKey> keys = fresh.keySet();
    database.connected(
        "name the pace of " + keys,
        connection ->
            Database.run(
                connection,
                Statements.NAME_PACES,
                statement -> {
                  statement.setArray(1, Arrays.of(connection, "text", keys, LimitKey::value));
                  statement.setArray(
                      2, Arrays.of(connection, "int8", fresh.values(), Paces::micros));
                  return statement.execute();
                }));
    if (told.size() > MOST_TOLD) {
      told.clear(); // to tell one again is only a call more
    }
    told.addAll(keys);
  }
}
