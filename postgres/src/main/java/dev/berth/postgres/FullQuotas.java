package dev.berth.postgres;

import dev.berth.limit.Quota;
import dev.berth.limit.WhenFull;
import dev.berth.store.Submission;
import dev.berth.store.Submitted;
import dev.berth.task.TaskId;
import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The quotas of a batch on their way in, and those that kept tasks out on their way back. */
record FullQuotas(Map<UUID, Full> byTask) {

  /**
   * What kept a task out.
   *
   * @param task what is there instead, or was asked to stop
   */
  record Full(String key, @Nullable UUID task) {}

  /** Sets three arguments; null for a batch without quotas, which then costs nothing. */
  static void bind(
      Connection connection, PreparedStatement statement, int first, List<Submission> batch)
      throws SQLException {
    if (batch.stream().allMatch(submission -> submission.quotas().isEmpty())) {
      statement.setNull(first, Types.ARRAY);
      statement.setNull(first + 1, Types.ARRAY);
      statement.setNull(first + 2, Types.ARRAY);
      return;
    }
    statement.setArray(first, part(connection, batch, quota -> quota.key().value()));
    statement.setArray(first + 1, part(connection, batch, quota -> String.valueOf(quota.most())));
    statement.setArray(first + 2, part(connection, batch, quota -> word(quota.whenFull())));
  }

  static FullQuotas of(ResultSet row) throws SQLException {
    Array ids = row.getArray("full_ids");
    if (ids == null) {
      return new FullQuotas(Map.of());
    }
    UUID[] refused = (UUID[]) ids.getArray();
    String[] keys = (String[]) row.getArray("full_keys").getArray();
    UUID[] tasks = (UUID[]) row.getArray("full_tasks").getArray();
    Map<UUID, Full> full = new HashMap<>();
    for (int i = 0; i < refused.length; i++) {
      full.put(refused[i], new Full(keys[i], tasks[i]));
    }
    return new FullQuotas(full);
  }

  boolean admitted(Submission submission) {
    return !byTask.containsKey(submission.id().value());
  }

  /**
   * The answer to a submission that was not admitted.
   *
   * @param batch a step is also kept out by the quota of one before it
   */
  Submitted answer(Submission refused, List<Submission> batch) {
    Full full = Objects.requireNonNull(byTask.get(refused.id().value()));
    Quota quota =
        Stream.concat(Stream.of(refused), batch.stream())
            .flatMap(submission -> submission.quotas().stream())
            .filter(each -> each.key().value().equals(full.key()))
            .findFirst()
            .orElseThrow();
    TaskId other = full.task() == null ? null : TaskId.of(full.task());
    return other != null && quota.whenFull() == WhenFull.EXISTING
        ? new Submitted.Existing(other)
        : new Submitted.QuotaFull(refused.id(), full.key(), quota.most(), other);
  }

  private static Array part(
      Connection connection, List<Submission> batch, Function<Quota, String> part)
      throws SQLException {
    return Arrays.of(
        connection,
        "text",
        batch,
        s -> Arrays.literal(connection, s.quotas().stream().map(part).toList()));
  }

  static String word(WhenFull whenFull) {
    return whenFull.name().toLowerCase(Locale.ROOT);
  }
}
