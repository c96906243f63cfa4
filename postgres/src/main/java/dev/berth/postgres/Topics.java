package dev.berth.postgres;

import dev.berth.store.Applied;
import dev.berth.value.Durations;
import dev.berth.value.Texts;
import dev.berth.worker.FileTopics;
import dev.berth.worker.FileTopics.Said;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Topics: limits for SQL tasks that also say how often a failed task is tried again and how fast
 * tasks start. A task under several of them is under the strictest of each.
 */
public final class Topics {

  /**
   * A topic, as it counts now.
   *
   * @param name empty for what counts for all topics that say nothing else
   * @param delay the least time between two starts
   * @param byHand whether something of it was set by hand
   */
  public record TopicView(
      String name,
      int maxParallel,
      int retryCount,
      Duration delay,
      boolean byHand,
      long pending,
      long running) {}

  private final Database database;

  Topics(Database database) {
    this.database = database;
  }

  /**
   * Sets what is not null and leaves the rest.
   *
   * @param topic null for what counts for all topics that say nothing else
   */
  public void set(
      @Nullable String topic,
      @Nullable Integer maxParallel,
      @Nullable Integer retryCount,
      @Nullable Duration delay) {
    if (delay != null) {
      Durations.check("The delay of a topic", delay);
    }
    database.run(
        "set " + named(topic),
        Statements.SET_TOPIC,
        statement -> {
          statement.setString(1, topic);
          statement.setObject(2, maxParallel, Types.INTEGER);
          statement.setObject(3, retryCount, Types.INTEGER);
          statement.setObject(4, delay == null ? null : (Long) delay.toMillis(), Types.BIGINT);
          return statement.execute();
        });
  }

  /** What was set by hand counts no more. */
  public Applied reset(@Nullable String topic) {
    return database.run(
        "reset " + named(topic),
        Statements.RESET_TOPIC,
        statement -> {
          statement.setString(1, topic);
          return "done".equals(text(statement)) ? Applied.DONE : Applied.UNCHANGED;
        });
  }

  public List<TopicView> list() {
    return database.run(
        "list the topics",
        Statements.TOPICS,
        statement -> {
          List<TopicView> all = new ArrayList<>();
          try (ResultSet row = statement.executeQuery()) {
            while (row.next()) {
              all.add(view(row));
            }
          }
          return all;
        });
  }

  /** What the file of a worker says; all workers should be given the same. */
  void register(FileTopics file) {
    List<Map.Entry<String, Said>> said = List.copyOf(file.topics().entrySet());
    database.connected(
        "register the topics of the file",
        connection ->
            Database.run(
                connection,
                Statements.REGISTER_TOPICS,
                statement -> {
                  statement.setArray(1, Arrays.of(connection, "text", said, Map.Entry::getKey));
                  statement.setArray(
                      2, Arrays.of(connection, "int4", said, s -> s.getValue().maxParallel()));
                  statement.setArray(
                      3, Arrays.of(connection, "int4", said, s -> s.getValue().retryCount()));
                  statement.setArray(
                      4, Arrays.of(connection, "int8", said, s -> millis(s.getValue().delayMs())));
                  return statement.execute();
                }));
  }

  private static @Nullable Long millis(@Nullable Integer said) {
    return said == null ? null : said.longValue();
  }

  private static TopicView view(ResultSet row) throws SQLException {
    return new TopicView(
        row.getString("name"),
        row.getInt("max_parallel"),
        row.getInt("retry_count"),
        Duration.ofMillis(row.getLong("delay_ms")),
        row.getBoolean("by_hand"),
        row.getLong("pending"),
        row.getLong("running"));
  }

  private static String text(PreparedStatement statement) throws SQLException {
    try (ResultSet row = statement.executeQuery()) {
      row.next();
      return row.getString(1);
    }
  }

  private static String named(@Nullable String topic) {
    return topic == null ? "the defaults of topics" : "topic " + Texts.checkName("topic", topic);
  }
}
