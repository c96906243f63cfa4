package dev.berth.postgres;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.Properties;
import java.util.regex.Pattern;

/**
 * Where a worker gets the connections on which SQL tasks run: a new one for each task, straight to
 * the server, which is closed afterwards. Never one of a pool: what a statement leaves behind in
 * its session, such as temporary tables, would be there for the next.
 */
@FunctionalInterface
public interface RoleConnections {

  /**
   * A new connection for a task that this role launched: logged in as the role itself, or as a
   * runner without any rights. What is logged in as anybody else is not used.
   */
  Connection connect(String role) throws SQLException;

  /**
   * As the runner that this URL names, whoever launched the task: {@code
   * jdbc:postgresql://host/database?user=berth_runner&password=…}.
   */
  static RoleConnections runner(String url) {
    return role -> DriverManager.getConnection(url, properties());
  }

  /**
   * As the role that launched the task. The URL names no user; passwords are those of the password
   * file of the process, or the server asks for none.
   */
  static RoleConnections launchers(String url) {
    if (Pattern.compile("[?&]user=").matcher(url).find()) {
      throw new IllegalArgumentException(
          "The URL for connections of launchers must not name a user: it is the launcher each"
              + " time");
    }
    return role -> {
      Properties properties = properties();
      properties.setProperty("user", role);
      return DriverManager.getConnection(url, properties);
    };
  }

  private static Properties properties() {
    Properties properties = new Properties();
    properties.setProperty("ApplicationName", "berth sql");
    properties.setProperty("loginTimeout", "5");
    properties.setProperty("tcpKeepAlive", "true");
    // of the same name in the URL, that one counts
    properties.setProperty("socketFactory", BoundedSockets.class.getName());
    return properties;
  }
}
