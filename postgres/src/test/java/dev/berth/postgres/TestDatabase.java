package dev.berth.postgres;

import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * A database with the schema, in the hands of one test at a time. It is emptied after each and goes
 * to the next with its connections open and its plans made: that is most of the time of a test.
 */
final class TestDatabase implements AutoCloseable {

  private static final Map<Servers, Queue<TestDatabase>> FREE = new EnumMap<>(Servers.class);

  static {
    for (Servers server : Servers.values()) {
      FREE.put(server, new ConcurrentLinkedQueue<>());
    }
  }

  private final Servers server;
  private final String url;
  private final HikariDataSource pool;
  private final Connection own;

  private TestDatabase(Servers server) {
    this.server = server;
    this.url = server.database();
    this.pool = Servers.patientPool(url);
    try {
      this.own = DriverManager.getConnection(url);
    } catch (SQLException e) {
      throw new AssertionError(e);
    }
  }

  static TestDatabase on(Servers server) {
    TestDatabase used = FREE.get(server).poll();
    return used == null ? new TestDatabase(server) : used;
  }

  String url() {
    return url;
  }

  HikariDataSource pool() {
    return pool;
  }

  void run(String... statements) {
    synchronized (own) {
      try (Statement statement = own.createStatement()) {
        for (String sql : statements) {
          statement.execute(sql);
        }
      } catch (SQLException e) {
        throw new AssertionError(e);
      }
    }
  }

  /** The first column of all rows, as text. */
  List<String> query(String sql) {
    synchronized (own) {
      try (Statement statement = own.createStatement();
          ResultSet rows = statement.executeQuery(sql)) {
        List<String> all = new ArrayList<>();
        while (rows.next()) {
          all.add(rows.getString(1));
        }
        return all;
      } catch (SQLException e) {
        throw new AssertionError(e);
      }
    }
  }

  String one(String sql) {
    return query(sql).getFirst();
  }

  long count(String sql) {
    return Long.parseLong(one(sql));
  }

  /** Empties it for the next test; whoever still holds a lock here makes the test fail. */
  @Override
  public void close() {
    run(
        "set lock_timeout = '10s'",
        "delete from berth.task",
        "delete from berth.task_history",
        "delete from berth.task_type",
        "delete from berth.session",
        "delete from berth.exchange_log",
        "delete from berth.queue",
        "delete from berth.schedule",
        "delete from berth.type_limit",
        "delete from berth.task_limit",
        "delete from berth.slot_group",
        "delete from berth.slot_waiter",
        "delete from berth.hold",
        "delete from berth.sql_task",
        "delete from berth.sql_ticket",
        "delete from berth.topic",
        "delete from berth.quota_count",
        "delete from berth.quota_task",
        "delete from berth.workflow",
        "delete from berth.workflow_step",
        "delete from berth.workflow_notice",
        "delete from berth.limit_change", // after the limits, whose end is logged
        "update berth.clock set shift = '0' where shift <> '0'");
    FREE.get(server).add(this);
  }
}
