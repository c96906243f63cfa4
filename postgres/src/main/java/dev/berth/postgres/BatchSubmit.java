package dev.berth.postgres;

import dev.berth.limit.Need;
import dev.berth.store.Submission;
import dev.berth.store.Submitted;
import dev.berth.task.Due;
import dev.berth.task.TaskId;
import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.function.ToIntFunction;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Writes one batch on a connection; the caller commits.
 *
 * @param submitted one answer per submission, in their order
 * @param hints what to tell the workers once it is committed
 * @param told whether the commit tells those of other processes
 */
record BatchSubmit(List<Submitted> submitted, List<Hint> hints, boolean told) {

  static BatchSubmit on(Connection connection, List<Submission> batch) throws SQLException {
    return Database.run(
        connection, Statements.SUBMIT, statement -> on(connection, statement, batch, true));
  }

  /** As part of a transaction of the caller's, which may take long: nothing is locked. */
  static BatchSubmit joining(Connection connection, List<Submission> batch) throws SQLException {
    return Database.run(
        connection, Statements.SUBMIT, statement -> on(connection, statement, batch, false));
  }

  private static BatchSubmit on(
      Connection connection, PreparedStatement statement, List<Submission> batch, boolean ours)
      throws SQLException {
    List<Submission> unique = withoutDoubles(batch);
    statement.setArray(1, Arrays.uuids(connection, unique, s -> s.id().value()));
    statement.setArray(2, Arrays.of(connection, "text", unique, Submission::type));
    statement.setArray(3, Arrays.of(connection, "text", unique, Submission::queue));
    statement.setArray(4, Arrays.of(connection, "int2", unique, s -> (short) s.priority()));
    statement.setArray(5, Arrays.of(connection, "timestamptz", unique, s -> instant(s.due())));
    statement.setArray(6, Arrays.of(connection, "int8", unique, s -> toMicros(delay(s.due()))));
    statement.setArray(7, Arrays.of(connection, "text", unique, Submission::payload));
    statement.setArray(
        8, Arrays.of(connection, "text", unique, s -> Arrays.pairs(connection, s.metadata())));
    statement.setArray(9, Arrays.of(connection, "text", unique, BatchSubmit::lane));
    statement.setArray(10, Arrays.of(connection, "text", unique, s -> keys(connection, s)));
    statement.setArray(11, Arrays.of(connection, "text", unique, s -> ints(s, Need::weight)));
    statement.setArray(12, Arrays.of(connection, "text", unique, s -> ints(s, Need::slots)));
    statement.setBoolean(13, unique.stream().anyMatch(Submission::ownId));
    FullQuotas.bind(connection, statement, 14, unique);
    Steps.bind(connection, statement, 17, unique);
    statement.setBoolean(20, ours);
    statement.setArray(21, names(connection, unique));
    try (ResultSet row = statement.executeQuery()) {
      row.next();
      Set<UUID> existing = existing(row);
      FullQuotas full = FullQuotas.of(row);
      List<Submission> admitted = unique.stream().filter(full::admitted).toList();
      return new BatchSubmit(
          answers(batch, existing, full),
          hints(admitted, atMicros(row.getLong("position")), row.getBoolean("limited"), ours),
          false);
    }
  }

  static @Nullable String lane(Submission submission) {
    return submission.lane().open() ? null : submission.lane().name();
  }

  static @Nullable String keys(Connection connection, Submission submission) {
    return Arrays.literal(
        connection, submission.lane().needs().stream().map(need -> need.key().value()).toList());
  }

  static @Nullable String ints(Submission submission, ToIntFunction<Need> part) {
    return submission.lane().open()
        ? null
        : submission.lane().needs().stream()
            .map(need -> String.valueOf(part.applyAsInt(need)))
            .collect(Collectors.joining(",", "{", "}"));
  }

  private static List<Submission> withoutDoubles(List<Submission> batch) {
    Map<TaskId, Submission> unique = new LinkedHashMap<>();
    for (Submission submission : batch) {
      Submission first = unique.putIfAbsent(submission.id(), submission);
      if (first != null) {
        submission.checkSame(first.type(), first.payload(), first.name());
      }
    }
    return List.copyOf(unique.values());
  }

  /** Null where none of them has one: it costs nothing then. */
  private static @Nullable Array names(Connection connection, List<Submission> batch)
      throws SQLException {
    return batch.stream().allMatch(submission -> submission.name() == null)
        ? null
        : Arrays.of(connection, "text", batch, Submission::name);
  }

  private static Set<UUID> existing(ResultSet row) throws SQLException {
    Array array = row.getArray("existing");
    return array == null ? Set.of() : Set.of((UUID[]) array.getArray());
  }

  private static List<Submitted> answers(
      List<Submission> batch, Set<UUID> existing, FullQuotas full) {
    Set<TaskId> seen = new HashSet<>();
    List<Submitted> answers = new ArrayList<>(batch.size());
    for (Submission submission : batch) {
      TaskId id = submission.id();
      boolean fresh = seen.add(id) && !existing.contains(id.value());
      if (!full.admitted(submission)) {
        answers.add(full.answer(submission, batch));
      } else {
        answers.add(fresh ? new Submitted.Accepted(id) : new Submitted.Existing(id));
      }
    }
    return answers;
  }

  static int hintPriority(Submission submission, boolean limited) {
    return submission.lane().open() && !limited ? submission.priority() : Hint.Ready.LANES;
  }

  /**
   * An instant may be past or not: the clock that decides is the store's, so both are hinted. Where
   * the store put some of the batch under limits, any of it may be under one or not. Which step of
   * a workflow can be claimed only the store knows, or nobody yet in a transaction of the caller's.
   */
  private static List<Hint> hints(
      List<Submission> batch, Instant position, boolean limited, boolean ours) {
    Set<Hint> hints = new HashSet<>();
    for (Submission submission : batch) {
      Due due = submission.due();
      if (submission.step() != null && !ours) {
        hints.add(new Hint.Steps(submission.queue(), position));
        continue;
      }
      if (!(due instanceof Due.After)) {
        String queue = submission.queue();
        hints.add(new Hint.Ready(queue, hintPriority(submission, false), position));
        hints.add(new Hint.Ready(queue, hintPriority(submission, limited), position));
      }
      if (!(due instanceof Due.Now)) {
        hints.add(new Hint.Later(submission.queue(), delay(due)));
      }
    }
    return List.copyOf(hints);
  }

  /** Long past is past: not every instant has a place in a timestamptz. */
  private static @Nullable String instant(Due due) {
    return due instanceof Due.At(Instant at)
        ? (at.isBefore(Instant.EPOCH) ? Instant.EPOCH : at).toString()
        : null;
  }

  private static Duration delay(Due due) {
    return due instanceof Due.After after ? after.delay() : Duration.ZERO;
  }

  private static long toMicros(Duration delay) {
    return TimeUnit.SECONDS.toMicros(delay.toSeconds()) + delay.toNanosPart() / 1_000;
  }

  static Instant atMicros(long sinceEpoch) {
    return Instant.EPOCH.plus(sinceEpoch, ChronoUnit.MICROS);
  }
}
