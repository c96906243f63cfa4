package dev.berth.benchmarks;

import static java.util.Objects.requireNonNullElse;

import com.zaxxer.hikari.HikariDataSource;
import dev.berth.postgres.PostgresOptions;
import dev.berth.postgres.PostgresStore;
import dev.berth.postgres.PostgresStoreProvider;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.SQLWarning;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * A store like any other, whose server explains every statement as it runs, those inside functions
 * too, and one who listens at its connections.
 */
final class PlanCapture implements AutoCloseable {

  private static final List<String> SETTINGS =
      List.of(
          "session_preload_libraries = 'auto_explain'",
          "auto_explain.log_min_duration = 0",
          "auto_explain.log_nested_statements = on",
          "auto_explain.log_analyze = on",
          "auto_explain.log_buffers = on",
          // times of nodes depend on the machine, and to take them costs as much as the nodes
          "auto_explain.log_timing = off",
          "auto_explain.log_level = notice");

  private static final int TELLS_PARAMETERS = 160_000;

  private final HikariDataSource pool;
  private final PostgresStore store;
  private final List<Plan> plans = new ArrayList<>();

  private PlanCapture(HikariDataSource pool) {
    this.pool = pool;
    this.store =
        PostgresStore.of(proxy(DataSource.class, pool), PostgresOptions.DEFAULT.withoutWakeUps());
  }

  /** On a database that has its tables; what is connected already explains nothing. */
  static PlanCapture start(BenchDatabase database) throws SQLException {
    try {
      for (String setting : SETTINGS) {
        database.execute("alter database %s set %s".formatted(database.name(), setting));
      }
      if (database.number("select current_setting('server_version_num')") >= TELLS_PARAMETERS) {
        database.execute(
            "alter database %s set auto_explain.log_parameter_max_length = 0"
                .formatted(database.name()));
      }
    } catch (SQLException e) {
      throw new IllegalStateException(
          "Plans are told by PostgreSQL's auto_explain, which a superuser switches on: "
              + e.getMessage(),
          e);
    }
    return new PlanCapture(PostgresStoreProvider.pool(database.url()));
  }

  PostgresStore store() {
    return store;
  }

  /** What was explained since the last time, in the order in which it ended. */
  synchronized List<Plan> take() {
    List<Plan> taken = List.copyOf(plans);
    plans.clear();
    return taken;
  }

  @Override
  public void close() {
    try (pool) {
      store.close();
    }
  }

  /** Passes calls on, wraps what leads to statements, and listens after each execution. */
  private <T> T proxy(Class<T> type, T target) {
    InvocationHandler handler =
        (self, method, arguments) -> {
          Object answer;
          try {
            answer = method.invoke(target, arguments);
          } catch (InvocationTargetException e) {
            throw e.getCause();
          }
          if (answer instanceof PreparedStatement statement) {
            return proxy(PreparedStatement.class, statement);
          }
          if (answer instanceof Connection connection && method.getName().equals("getConnection")) {
            return proxy(Connection.class, connection);
          }
          if (target instanceof PreparedStatement statement
              && method.getName().startsWith("execute")) {
            listen(statement.getWarnings());
          }
          return answer;
        };
    return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler));
  }

  private synchronized void listen(@Nullable SQLWarning first) {
    for (SQLWarning said = first; said != null; said = said.getNextWarning()) {
      String message = requireNonNullElse(said.getMessage(), "");
      if (Plan.isOne(message)) {
        plans.add(Plan.of(message));
      }
    }
  }
}
