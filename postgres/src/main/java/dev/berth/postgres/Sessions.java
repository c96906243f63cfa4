package dev.berth.postgres;

import dev.berth.limit.LimitKey;
import dev.berth.limit.Quota;
import dev.berth.store.Heartbeat;
import dev.berth.store.Lease;
import dev.berth.store.Registration;
import dev.berth.store.SessionRequest;
import dev.berth.store.SessionRequest.Handled;
import dev.berth.store.SizeCap;
import dev.berth.task.LimitRule;
import dev.berth.task.TaskId;
import dev.berth.value.Texts;
import dev.berth.view.Capacity;
import dev.berth.worker.WorkerName;
import java.sql.Array;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;

/** The life of a session: open, renew, leave. */
final class Sessions {

  private Sessions() {}

  /**
   * A session that was opened.
   *
   * @param differing where its word on a limit was not what was there
   */
  record Opened(long id, UUID proof, List<Registration> differing, SizeCap cap) {}

  /** Registers the types, then opens. */
  static Opened open(Connection connection, SessionRequest request) throws SQLException {
    register(connection, newestWords(request.types()));
    List<Registration> differing = registerLimits(connection, newestWords(request.types()));
    registerTypeLimits(connection, newestWords(request.types()));
    registerTypeQuotas(connection, newestWords(request.types()));
    Upkeep.makePartitions(connection);
    return openRow(connection, request, differing);
  }

  private static Opened openRow(
      Connection connection, SessionRequest request, List<Registration> differing)
      throws SQLException {
    return Database.run(
        connection,
        Statements.OPEN,
        statement -> {
          statement.setInt(1, Migration.NEWEST);
          statement.setString(2, request.worker());
          statement.setString(3, WorkerName.host().orElse(null));
          statement.setLong(4, request.lease().toMillis());
          statement.setInt(5, request.capacity());
          statement.setArray(6, Arrays.of(connection, "text", request.types(), Handled::type));
          statement.setArray(7, Arrays.texts(connection, request.queues()));
          try (ResultSet row = statement.executeQuery()) {
            row.next();
            return new Opened(
                row.getLong(1),
                row.getObject(2, UUID.class),
                differing,
                new SizeCap(row.getInt(3)));
          }
        });
  }

  static Heartbeat heartbeat(
      WorkerSession session, Capacity capacity, Map<Lease, String> progress) {
    return session
        .heartbeat()
        .run(
            "renew the session",
            connection ->
                Database.run(
                    connection,
                    Statements.HEARTBEAT,
                    statement -> {
                      List<Lease> leases = List.copyOf(progress.keySet());
                      statement.setInt(1, Migration.NEWEST);
                      statement.setLong(2, session.id());
                      statement.setObject(3, session.proof());
                      statement.setInt(4, capacity.free());
                      statement.setInt(5, capacity.max());
                      statement.setFloat(6, (float) capacity.memory());
                      statement.setArray(
                          7, Arrays.of(connection, "uuid", leases, l -> l.task().value()));
                      statement.setArray(8, Arrays.of(connection, "int8", leases, Lease::token));
                      statement.setArray(
                          9,
                          Arrays.of(
                              connection,
                              "text",
                              leases,
                              l -> Texts.clean(progress.getOrDefault(l, ""), Texts.LONGEST)));
                      try (ResultSet row = statement.executeQuery()) {
                        row.next();
                        return new Heartbeat(
                            row.getBoolean("alive"), cancelled(row), untold(row, leases));
                      }
                    }));
  }

  static void leave(WorkerSession session) {
    session
        .heartbeat()
        .run(
            "leave the session",
            connection ->
                Database.run(
                    connection,
                    Statements.LEAVE,
                    statement -> {
                      statement.setLong(1, session.id());
                      statement.setObject(2, session.proof());
                      return statement.execute();
                    }));
  }

  /** A type named twice counts as it was named last. */
  private static List<Handled> newestWords(List<Handled> types) {
    Map<String, Handled> newest = new LinkedHashMap<>();
    types.forEach(type -> newest.put(type.type(), type));
    return List.copyOf(newest.values());
  }

  private static void register(Connection connection, List<Handled> types) throws SQLException {
    Database.run(
        connection,
        Statements.REGISTER_TYPES,
        statement -> {
          statement.setArray(1, Arrays.of(connection, "text", types, Handled::type));
          statement.setArray(
              2, Arrays.of(connection, "int4", types, t -> t.retention().finishedDays()));
          statement.setArray(
              3, Arrays.of(connection, "int4", types, t -> t.retention().failedDays()));
          statement.setArray(4, Arrays.of(connection, "int4", types, Handled::maxCrashes));
          return statement.execute();
        });
  }

  private static List<Registration> registerLimits(Connection connection, List<Handled> types)
      throws SQLException {
    Map<String, LimitRule> rules = new LinkedHashMap<>();
    types.forEach(t -> t.limits().forEach(rule -> rules.put(rule.key().value(), rule)));
    return Database.run(
        connection,
        Statements.REGISTER_LIMITS,
        statement -> {
          statement.setArray(
              1, Arrays.of(connection, "text", types, t -> LimitKey.ofType(t.type()).value()));
          statement.setArray(2, Arrays.texts(connection, rules.keySet()));
          statement.setArray(3, Arrays.of(connection, "int4", rules.values(), LimitRule::slots));
          statement.setArray(
              4, Arrays.of(connection, "int8", rules.values(), r -> Paces.micros(r.pace())));
          statement.setArray(5, Arrays.of(connection, "bool", rules.values(), LimitRule::inFile));
          List<Registration> differing = new ArrayList<>();
          try (ResultSet row = statement.executeQuery()) {
            while (row.next()) {
              differing.add(
                  new Registration(
                      new LimitKey(row.getString("key")),
                      row.getObject("slots", Integer.class),
                      row.getObject("before", Integer.class),
                      row.getObject("by_hand", Integer.class)));
            }
          }
          return differing;
        });
  }

  /** Which limits each type is under. */
  private static void registerTypeLimits(Connection connection, List<Handled> types)
      throws SQLException {
    List<Map.Entry<String, LimitRule>> rules =
        types.stream()
            .flatMap(type -> type.limits().stream().map(rule -> Map.entry(type.type(), rule)))
            .toList();
    Database.run(
        connection,
        Statements.REGISTER_TYPE_LIMITS,
        statement -> {
          statement.setArray(1, Arrays.of(connection, "text", types, Handled::type));
          statement.setArray(2, Arrays.of(connection, "text", rules, Map.Entry::getKey));
          statement.setArray(
              3, Arrays.of(connection, "text", rules, r -> r.getValue().key().value()));
          statement.setArray(4, Arrays.of(connection, "int4", rules, r -> r.getValue().weight()));
          statement.setArray(5, Arrays.of(connection, "int4", rules, r -> r.getValue().slots()));
          return statement.execute();
        });
  }

  /** Which quotas each type is under. */
  private static void registerTypeQuotas(Connection connection, List<Handled> types)
      throws SQLException {
    List<Map.Entry<String, Quota>> quotas =
        types.stream()
            .flatMap(type -> type.quotas().stream().map(quota -> Map.entry(type.type(), quota)))
            .toList();
    Database.run(
        connection,
        Statements.REGISTER_TYPE_QUOTAS,
        statement -> {
          statement.setArray(1, Arrays.of(connection, "text", types, Handled::type));
          statement.setArray(2, Arrays.of(connection, "text", quotas, Map.Entry::getKey));
          statement.setArray(
              3, Arrays.of(connection, "text", quotas, q -> q.getValue().key().value()));
          statement.setArray(4, Arrays.of(connection, "int4", quotas, q -> q.getValue().most()));
          statement.setArray(
              5,
              Arrays.of(connection, "text", quotas, q -> FullQuotas.word(q.getValue().whenFull())));
          return statement.execute();
        });
  }

  private static Set<Lease> untold(ResultSet row, List<Lease> leases) throws SQLException {
    Array tokens = row.getArray("untold");
    if (tokens == null) {
      return Set.of();
    }
    Set<Long> numbers = new HashSet<>(List.of((Long[]) tokens.getArray()));
    return leases.stream()
        .filter(lease -> numbers.contains(lease.token()))
        .collect(Collectors.toSet());
  }

  private static List<Lease> cancelled(ResultSet row) throws SQLException {
    Array ids = row.getArray("cancel_ids");
    Array tokens = row.getArray("cancel_tokens");
    if (ids == null || tokens == null) {
      return List.of();
    }
    UUID[] tasks = (UUID[]) ids.getArray();
    Long[] numbers = (Long[]) tokens.getArray();
    List<Lease> leases = new ArrayList<>();
    for (int i = 0; i < tasks.length; i++) {
      leases.add(new Lease(new TaskId(tasks[i]), numbers[i]));
    }
    return leases;
  }
}
