package dev.berth.benchmarks;

import com.zaxxer.hikari.HikariDataSource;
import dev.berth.Berth;
import dev.berth.postgres.PostgresStore;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.postgresql.PGConnection;
import org.postgresql.copy.CopyManager;

/** How fast tasks become durable: one by one, in bulk, and beside a plain COPY of the same rows. */
final class SubmitScenario implements Scenario {

  private static final int CONNECTIONS = 16;
  private static final Duration TIME = Duration.ofSeconds(20);

  @Override
  public String name() {
    return "submit";
  }

  @Override
  public String about() {
    return "Submits one by one over 1 and over 16 connections, and in bulk beside a plain COPY of"
        + " equal rows into the same table.";
  }

  @Override
  public void run(Bench bench, Report report) throws Exception {
    int single = bench.size().of(20, 1_000, 5_000);
    int bulk = bench.size().of(1_000, 60_000, 300_000);
    try (BenchDatabase database = bench.server().database();
        HikariDataSource pool = database.pool(CONNECTIONS + 2);
        Berth berth = Berth.on(PostgresStore.of(pool))) {
      Run run = new Run(database, berth);
      byte[] rows = run.rows(bulk);
      Rounds rounds =
          new Rounds(bench)
              .variant("1 connection", () -> run.singly(single, 1))
              .variant("16 connections", () -> run.singly(4 * single, CONNECTIONS))
              .variant("bulk", () -> run.inBulk(bulk))
              .variant("COPY", () -> run.copy(rows, bulk))
              .warmUp()
              .run(bench.size().of(1, 2, 5), bench.size().of(1, 5, 9), TIME);
      report.ratio(
          "submit_vs_copy",
          rounds.ratio("bulk", "COPY"),
          Target.atLeast(0.5),
          "rate of submitAll / of plain COPY of equal rows into the same table");
      report.ratio(
          "submit_scaling",
          rounds.ratio("16 connections", "1 connection"),
          Target.atLeast(1.5),
          "single submits over 16 connections / over 1");
      report.figure(
          "submit_1_per_s", "tasks/s", rounds.samples("1 connection"), "one by one, 1 connection");
      report.figure(
          "submit_16_per_s",
          "tasks/s",
          rounds.samples("16 connections"),
          "one by one, 16 connections");
      report.figure(
          "submit_bulk_per_s",
          "tasks/s",
          rounds.samples("bulk"),
          "%,d tasks by one submitAll".formatted(bulk));
      report.figure("copy_per_s", "rows/s", rounds.samples("COPY"), "the same rows by COPY");
    }
  }

  /** Each measurement begins with an empty table. */
  private record Run(BenchDatabase database, Berth berth) {

    double singly(int tasks, int connections) throws Exception {
      empty();
      try (ExecutorService threads = Executors.newFixedThreadPool(connections)) {
        long began = System.nanoTime();
        List<Future<?>> parts = new ArrayList<>();
        for (int i = 0; i < connections; i++) {
          parts.add(
              threads.submit(() ->
                  IntStream.range(0, tasks / connections)
                      .forEach(number -> berth.submit(NoOp.TYPE, NoOp.of(number)))));
        }
        for (Future<?> part : parts) {
          part.get();
        }
        return perSecond(tasks / connections * connections, began);
      }
    }

    double inBulk(int tasks) throws SQLException {
      empty();
      long began = System.nanoTime();
      NoOp.submit(berth, tasks);
      return perSecond(tasks, began);
    }

    double copy(byte[] rows, int count) throws SQLException, IOException {
      empty();
      try (Connection connection = database.connect()) {
        CopyManager copies = connection.unwrap(PGConnection.class).getCopyAPI();
        long began = System.nanoTime();
        long copied =
            copies.copyIn(
                "copy berth_private.task from stdin", new ByteArrayInputStream(rows), 1 << 16);
        if (copied != count) {
          throw new IllegalStateException("Copied " + copied + " of " + count + " rows");
        }
        return perSecond(copied, began);
      }
    }

    /** What a bulk submit writes, as COPY reads it. */
    byte[] rows(int tasks) throws SQLException, IOException {
      NoOp.submit(berth, tasks);
      ByteArrayOutputStream rows = new ByteArrayOutputStream();
      try (Connection connection = database.connect()) {
        CopyManager copies = connection.unwrap(PGConnection.class).getCopyAPI();
        copies.copyOut("copy berth_private.task to stdout", rows);
      }
      return rows.toByteArray();
    }

    private void empty() throws SQLException {
      database.execute("truncate berth_private.task");
    }

    private static double perSecond(long count, long began) {
      return Drain.perSecond(count, Duration.ofNanos(System.nanoTime() - began));
    }
  }
}
