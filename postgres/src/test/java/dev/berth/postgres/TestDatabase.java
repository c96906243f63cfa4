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
        "delete from berth_private.task",
        "delete from berth_private.task_history",
        "delete from berth_private.task_type",
        "delete from berth_private.session",
        "delete from berth_private.exchange_log",
        "delete from berth_private.queue",
        "delete from berth_private.schedule",
        "delete from berth_private.type_limit",
        "delete from berth_private.type_quota",
        "delete from berth_private.task_limit",
        "delete from berth_private.slot_group",
        "delete from berth_private.slot_waiter",
        "delete from berth_private.hold",
        "delete from berth_private.sql_task",
        "delete from berth_private.sql_ticket",
        "update berth_private.sql_door set timeout = default",
        "delete from berth_private.topic",
        "delete from berth_private.quota_count",
        "delete from berth_private.quota_return",
        "delete from berth_private.quota_task",
        "delete from berth_private.workflow",
        "delete from berth_private.workflow_step",
        "delete from berth_private.workflow_notice",
        "delete from berth_private.limit_change", // after the limits, whose end is logged
        "update berth_private.size_cap set bytes = default",
        "update berth_private.clock set shift = '0' where shift <> '0'");
    FREE.get(server).add(this);
  }
}
