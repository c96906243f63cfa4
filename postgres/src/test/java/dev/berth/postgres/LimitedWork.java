package dev.berth.postgres;

import dev.berth.Berth;
import dev.berth.limit.Limit;
import dev.berth.limit.LimitKey;
import dev.berth.store.SessionRequest.Handled;
import dev.berth.task.TaskType;
import dev.berth.worker.WorkerBuilder;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Work under one of twenty limits, each of its own kind: eight types, six keys of one type, and six
 * shared limits, of which a task takes one or two slots. While a task runs it holds a lock in the
 * database, which is gone with its process, and so can tell how many there are with it.
 *
 * @param limit from 0 to 19
 */
record LimitedWork(int limit, int weight, int millis) {

  static final int LIMITS = 20;

  private static final int TYPES = 8;
  private static final int KEYS = 6;
  private static final int MANY_CRASHES = 1_000_000;
  private static final int LOCKS = 7_000; // a number that nobody else uses

  private static final List<TaskType<LimitedWork, Void>> OWN =
      IntStream.range(0, TYPES).mapToObj(i -> type("own_" + i).limit(slots(i))).toList();
  private static final TaskType<LimitedWork, Void> KEYED =
      type("keyed").limitPer("user", LimitedWork::limit, 1);
  private static final TaskType<LimitedWork, Void> SHARED = type("shared");

  /** Where the tasks write how many slots of a limit were in use when they started. */
  static final String TABLE = "create table public.seen (number integer, used integer)";

  static LimitedWork random(Random random) {
    int limit = random.nextInt(LIMITS);
    int weight = limit < TYPES + KEYS ? 1 : 1 + random.nextInt(2);
    return new LimitedWork(limit, weight, 20 + random.nextInt(100));
  }

  static int slots(int limit) {
    return limit >= TYPES && limit < TYPES + KEYS ? 1 : 2 + limit % 3;
  }

  static LimitKey key(int limit) {
    if (limit < TYPES) {
      return LimitKey.ofType("own_" + limit);
    }
    return limit < TYPES + KEYS
        ? LimitKey.ofTypePer("keyed", "user", "" + limit)
        : shared(limit).key();
  }

  /** For a session that says the same of its types as the worker does. */
  static List<Handled> handled() {
    return Stream.concat(OWN.stream(), Stream.of(KEYED, SHARED))
        .map(type ->
            new Handled(
                type.name(), type.retention(), type.maxCrashes(), type.limits().rules(type.name())))
        .toList();
  }

  static WorkerBuilder handle(WorkerBuilder worker, String url) {
    WorkerBuilder all = worker;
    for (TaskType<LimitedWork, Void> type : OWN) {
      all = all.handle(type, (work, task) -> work.run(url));
    }
    return all.handle(KEYED, (work, task) -> work.run(url))
        .handle(SHARED, (work, task) -> work.run(url));
  }

  void submit(Berth berth) {
    if (limit < TYPES) {
      berth.submit(OWN.get(limit), this);
    } else if (limit < TYPES + KEYS) {
      berth.submit(KEYED, this);
    } else {
      berth.submit(SHARED, this, options -> options.under(shared(limit), weight));
    }
  }

  private void run(String url) throws SQLException, InterruptedException {
    try (Connection connection = DriverManager.getConnection(url);
        Statement statement = connection.createStatement()) {
      statement.execute("select pg_advisory_lock_shared(%d, %d)".formatted(LOCKS + limit, weight));
      try {
        statement.execute(
            "insert into public.seen values (%d, %d)".formatted(limit, held(statement)));
        Thread.sleep(millis);
      } finally {
        statement.execute(
            "select pg_advisory_unlock_shared(%d, %d)".formatted(LOCKS + limit, weight));
      }
    }
  }

  /** Each lock has the weight of its task as its second number. */
  private int held(Statement statement) throws SQLException {
    try (ResultSet rows =
        statement.executeQuery(
            "select sum(objid::bigint) from pg_locks where locktype = 'advisory' and granted"
                + " and database = (select oid from pg_database where datname = current_database())"
                + " and classid = "
                + (LOCKS + limit))) {
      rows.next();
      return rows.getInt(1);
    }
  }

  private static Limit shared(int limit) {
    return Limit.of("pool_" + limit, slots(limit));
  }

  private static TaskType<LimitedWork, Void> type(String name) {
    return TaskType.of(name, LimitedWork.class).maxCrashes(MANY_CRASHES);
  }
}
