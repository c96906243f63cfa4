package dev.berth.postgres;

import dev.berth.worker.FileTopics;

/**
 * How a worker runs SQL tasks. Immutable: each method returns a changed copy.
 *
 * @param reserve how many connections of the server SQL tasks leave to others at least
 * @param topics what a configuration file says of topics
 */
public record SqlOptions(int reserve, FileTopics topics) {

  public static final SqlOptions DEFAULT = new SqlOptions(5, FileTopics.NONE);

  private static final int MOST = 10_000;

  public SqlOptions {
    if (reserve < 0 || reserve > MOST) {
      throw new IllegalArgumentException(
          "SQL tasks can leave 0 to " + MOST + " connections to others, not " + reserve);
    }
  }

  public SqlOptions reserve(int connections) {
    return new SqlOptions(connections, topics);
  }

  public SqlOptions topics(FileTopics said) {
    return new SqlOptions(reserve, said);
  }
}
