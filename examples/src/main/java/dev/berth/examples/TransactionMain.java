package dev.berth.examples;

import dev.berth.Berth;
import dev.berth.embedded.LocalPostgres;
import dev.berth.postgres.PostgresStore;
import dev.berth.postgres.PostgresStoreProvider;
import dev.berth.task.TaskId;
import dev.berth.task.TaskType;
import java.sql.Connection;
import java.sql.SQLException;

/** A task that exists if and only if the order it belongs to exists. */
public final class TransactionMain {

  record Order(int number) {}

  private static final TaskType<Order, Void> SHIP = TaskType.of("ship_order", Order.class);

  private TransactionMain() {}

  public static void main(String[] arguments) throws Exception {
    try (var server = LocalPostgres.start();
        var pool = PostgresStoreProvider.pool(server.jdbcUrl());
        var store = PostgresStore.of(pool);
        var berth = Berth.on(store);
        var connection = pool.getConnection();
        var statement = connection.createStatement()) {
      statement.execute("create table orders (number int)");
      connection.setAutoCommit(false);
      var joined = berth.through(store.joining(connection));

      var kept = order(joined, connection, 1);
      connection.commit();
      var undone = order(joined, connection, 2);
      connection.rollback();

      System.out.println("Committed:   the task is there: " + berth.find(kept).isPresent());
      System.out.println("Rolled back: the task is there: " + berth.find(undone).isPresent());
    }
  }

  /** Business code: one transaction, begun and ended by its caller. */
  private static TaskId order(Berth joined, Connection connection, int number) throws SQLException {
    try (var insert = connection.prepareStatement("insert into orders values (?)")) {
      insert.setInt(1, number);
      insert.execute();
    }
    return joined.submit(SHIP, new Order(number));
  }
}
