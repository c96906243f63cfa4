package dev.berth.benchmarks;

import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * What the database could do if there were no library: claim a batch, delete it, commit each. No
 * leases, retries, types or history; the ceiling to measure against.
 */
final class RawSql {

  private static final String TABLE =
      """
      create table raw_task (
        id uuid primary key, position timestamptz not null, state text not null,
        type text not null, queue text not null, payload text not null)
      """;
  private static final String INDEX =
      "create index on raw_task (queue, position, id) where state = 'ready'";
  private static final String FILL =
      """
      insert into raw_task
      select gen_random_uuid(), clock_timestamp(), 'ready', 'no_op', 'default', repeat('x', 90)
        from generate_series(1, %d)
      """;
  private static final String CLAIM =
      """
      update raw_task t set state = 'running'
       where t.ctid = any (array(
         select ctid from raw_task where state = 'ready' and queue = 'default'
          order by position, id limit ? for update skip locked))
      returning id, payload
      """;
  private static final String DELETE = "delete from raw_task where id = any (?)";

  private RawSql() {}

  /** Tasks per second over so many connections. */
  static double rate(BenchDatabase database, int tasks, int batch, int connections)
      throws Exception {
    database.execute(TABLE);
    database.execute(INDEX);
    database.execute(FILL.formatted(tasks));
    database.execute("vacuum analyze raw_task");
    try (ExecutorService threads = Executors.newFixedThreadPool(connections)) {
      Callable<Integer> drain = () -> drain(database, batch);
      long began = System.nanoTime();
      List<Future<Integer>> parts = new ArrayList<>();
      for (int i = 0; i < connections; i++) {
        parts.add(threads.submit(drain));
      }
      int done = 0;
      for (Future<Integer> part : parts) {
        done += part.get();
      }
      if (done != tasks) {
        throw new IllegalStateException("Drained " + done + " of " + tasks + " rows");
      }
      return Drain.perSecond(done, Duration.ofNanos(System.nanoTime() - began));
    }
  }

  private static int drain(BenchDatabase database, int batch) throws SQLException {
    try (Connection connection = database.connect();
        PreparedStatement claim = connection.prepareStatement(CLAIM);
        PreparedStatement delete = connection.prepareStatement(DELETE)) {
      claim.setInt(1, batch);
      int done = 0;
      List<Object> ids = claim(claim);
      while (!ids.isEmpty()) {
        Array array = connection.createArrayOf("uuid", ids.toArray());
        delete.setArray(1, array);
        done += delete.executeUpdate();
        ids = claim(claim);
      }
      return done;
    }
  }

  private static List<Object> claim(PreparedStatement claim) throws SQLException {
    List<Object> ids = new ArrayList<>();
    try (ResultSet rows = claim.executeQuery()) {
      while (rows.next()) {
        ids.add(rows.getObject(1));
      }
    }
    return ids;
  }
}
