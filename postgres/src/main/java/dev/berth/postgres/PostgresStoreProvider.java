package dev.berth.postgres;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import com.zaxxer.hikari.pool.HikariPool;
import dev.berth.store.Store;
import dev.berth.store.StoreException;
import dev.berth.store.StoreException.Kind;
import dev.berth.store.StoreProvider;
import java.net.UnknownHostException;

/** Opens {@code jdbc:postgresql:} and {@code postgres:} URLs on a pool of their own. */
public final class PostgresStoreProvider implements StoreProvider {

  private static final int POOL_SIZE = 10;

  @Override
  public String example() {
    return "postgres://user:password@host/database or jdbc:postgresql://host:5432/database?user=…";
  }

  @Override
  public boolean accepts(String url) {
    return PostgresUrl.accepts(url);
  }

  @Override
  public Store open(String url) {
    return open(url, PostgresOptions.DEFAULT);
  }

  public static PostgresStore open(String url, PostgresOptions options) {
    HikariDataSource pool = pool(url);
    try {
      return PostgresStore.owning(pool, options, pool);
    } catch (RuntimeException e) {
      pool.close();
      throw e;
    }
  }

  /** A pool for this URL; an error is one sentence about what cannot be reached. */
  public static HikariDataSource pool(String url) {
    HikariConfig config = new HikariConfig();
    String jdbc = jdbc(url);
    config.setJdbcUrl(jdbc);
    config.setPoolName("berth");
    config.setMaximumPoolSize(POOL_SIZE);
    config.setMinimumIdle(1);
    config.setConnectionTimeout(10_000);
    config.setValidationTimeout(2_000);
    // a server that takes the connection and then says nothing must not stop the pool for ever
    config.addDataSourceProperty("loginTimeout", "5");
    config.addDataSourceProperty("tcpKeepAlive", "true");
    // of the same name in the URL, that one counts
    config.addDataSourceProperty("socketFactory", PromptSockets.class.getName());
    try {
      return new HikariDataSource(config);
    } catch (HikariPool.PoolInitializationException | IllegalArgumentException e) {
      throw new StoreException(
          Kind.UNAVAILABLE, "Could not connect to " + withoutSecrets(jdbc) + ": " + reason(e), e);
    }
  }

  private static String jdbc(String url) {
    try {
      return PostgresUrl.jdbc(url);
    } catch (IllegalArgumentException e) {
      throw new StoreException(Kind.INVALID, String.valueOf(e.getMessage()));
    }
  }

  /** The driver's message, and the host where nobody knows it: the driver does not say that. */
  private static String reason(Throwable failure) {
    Throwable cause = failure.getCause() == null ? failure : failure.getCause();
    Throwable root = cause.getCause();
    return root instanceof UnknownHostException
        ? "there is no host " + root.getMessage()
        : String.valueOf(cause.getMessage());
  }

  private static String withoutSecrets(String url) {
    return url.replaceAll("\\?.*", "");
  }
}
