package dev.berth.postgres;

import dev.berth.limit.LimitKey;
import dev.berth.limit.Slots;
import dev.berth.store.Advance;
import dev.berth.store.Applied;
import dev.berth.store.Claim;
import dev.berth.store.Command;
import dev.berth.store.Schedule;
import dev.berth.task.TaskId;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.time.Duration;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Commands as calls of SQL functions. */
record Commands(Database database) {

  /** How many tasks are put under a limit in one transaction: some tens of milliseconds. */
  static final int TASKS_AT_ONCE = 2_000;

  private static final Duration LOOK_AGAIN = Duration.ofMillis(10);

  Applied apply(Command command) {
    return switch (command) {
      case Command.Cancel(TaskId task, String reason) -> cancel(task, reason);
      case Command.RetryTask(TaskId task) ->
          word("retry task " + task, Statements.RETRY, task.value(), null);
      case Command.PauseQueue(String queue) ->
          settled(queue, null, word("pause queue " + queue, Statements.PAUSE, queue, null));
      case Command.ResumeQueue(String queue) ->
          word("resume queue " + queue, Statements.RESUME, queue, null);
      case Command.SetLimit set -> settled(null, set.key(), setLimit(set));
      case Command.ResetLimit(LimitKey key) ->
          settled(null, key, word("reset limit " + key, Statements.RESET_LIMIT, key.value(), null));
      case Command.PauseLimit(LimitKey key) ->
          settled(
              null,
              key,
              onAllTasks(
                  "pause limit " + key,
                  key,
                  Slots.MOST,
                  Statements.PAUSE_LIMIT,
                  p -> p.setString(1, key.value())));
      case Command.ResumeLimit(LimitKey key) ->
          word("resume limit " + key, Statements.RESUME_LIMIT, key.value(), null);
      case Command.RecountLimit(LimitKey key) ->
          word("recount limit " + key, Statements.RECOUNT_LIMIT, key.value(), null);
      case Command.ReleaseSlot(LimitKey key, long token) ->
          word("release a slot of " + key, Statements.RELEASE_SLOT, key.value(), token);
      case Command.SetSchedule(Schedule schedule) -> setSchedule(schedule);
      case Command.PauseSchedule(String name) ->
          word("pause schedule " + name, Statements.PAUSE_SCHEDULE, name, null);
      case Command.ResumeSchedule(String name) ->
          word("resume schedule " + name, Statements.RESUME_SCHEDULE, name, null);
      case Command.RunSchedule(String name, TaskId task) ->
          word("run schedule " + name, Statements.RUN_SCHEDULE, name, task.value());
      case Command.RemoveSchedule(String name) ->
          word("remove schedule " + name, Statements.REMOVE_SCHEDULE, name, null);
      case Command.SkipStep(String workflow, String step) ->
          word("skip step " + step + " of " + workflow, Statements.SKIP_STEP, workflow, step);
      case Command.CancelWorkflow(String workflow, String reason) ->
          word("cancel workflow " + workflow, Statements.CANCEL_WORKFLOW, workflow, reason);
      case Command.RetryWorkflow(String workflow) ->
          word("retry workflow " + workflow, Statements.RETRY_WORKFLOW, workflow, null);
    };
  }

  /**
   * Waits for tasks that stand by in workers, and for exchanges that are under way: they do not
   * know of the change and may still start some, but not for long.
   */
  private Applied settled(@Nullable String queue, @Nullable LimitKey key, Applied applied) {
    long until = System.nanoTime() + Claim.STANDBY_STARTS_WITHIN.toNanos();
    try {
      Look look = look(queue, key, null);
      String changed = look.at();
      // what an exchange has brought starts a moment after it has ended: so two quiet looks
      for (int quiet = look.busy() ? 0 : 2; quiet < 2 && System.nanoTime() < until; ) {
        Thread.sleep(LOOK_AGAIN);
        quiet = look(queue, key, changed).busy() ? 0 : quiet + 1;
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    return applied;
  }

  /** Whether something may start yet, and when that was asked, by the server's clock. */
  private record Look(boolean busy, String at) {}

  private Look look(@Nullable String queue, @Nullable LimitKey key, @Nullable String since) {
    return database.connected(
        "look for tasks that stand by",
        connection ->
            Database.run(
                connection,
                Statements.STAND_BY,
                prepared -> {
                  prepared.setString(1, queue);
                  prepared.setString(2, key == null ? null : key.value());
                  prepared.setString(3, since);
                  try (ResultSet row = prepared.executeQuery()) {
                    row.next();
                    return new Look(row.getBoolean(1), row.getString(2));
                  }
                }));
  }

  private Applied setSchedule(Schedule schedule) {
    return database.connected(
        "set schedule " + schedule.name(),
        connection ->
            Database.run(
                connection,
                Statements.PUT_SCHEDULE,
                prepared -> {
                  ScheduleRows.bind(connection, prepared, schedule);
                  return answer(prepared);
                }));
  }

  /** The second half of a sweep. */
  boolean advance(Advance advance) {
    return database.connected(
        "advance schedule " + advance.schedule(),
        connection ->
            Database.persistently(
                connection,
                on ->
                    Database.run(
                        on,
                        Statements.ADVANCE_SCHEDULE,
                        prepared -> {
                          ScheduleRows.bind(on, prepared, advance);
                          return answer(prepared) == Applied.DONE;
                        })));
  }

  private Applied setLimit(Command.SetLimit set) {
    Duration lasts = set.lasts();
    return onAllTasks(
        "set limit " + set.key(),
        set.key(),
        set.slots(),
        Statements.SET_LIMIT,
        prepared -> {
          prepared.setString(1, set.key().value());
          prepared.setInt(2, set.slots());
          prepared.setObject(3, lasts == null ? null : (Long) lasts.toMillis(), Types.BIGINT);
        });
  }

  /**
   * The limit of a type is put on all its tasks. That may take some time if millions wait, so most
   * of it is done in small transactions before.
   */
  private Applied onAllTasks(
      String doing, LimitKey key, int slots, Statements statement, Database.Binding binding) {
    return database.connected(
        doing,
        Duration.ZERO,
        connection -> {
          UUID after = null;
          do {
            after = key.isOfType() ? putUnder(connection, key, slots, after) : null;
          } while (after != null);
          return Database.run(
              connection,
              statement,
              prepared -> {
                binding.on(prepared);
                return answer(prepared);
              });
        });
  }

  /** Puts some tasks under the limit; returns the last that was looked at, null at the end. */
  private static @Nullable UUID putUnder(
      Connection connection, LimitKey key, int slots, @Nullable UUID after) throws SQLException {
    return Database.run(
        connection,
        Statements.PUT_SOME_UNDER,
        prepared -> {
          prepared.setString(1, key.value());
          prepared.setInt(2, slots);
          prepared.setObject(3, after, Types.OTHER);
          prepared.setInt(4, TASKS_AT_ONCE);
          try (ResultSet row = prepared.executeQuery()) {
            row.next();
            return row.getObject(1, UUID.class);
          }
        });
  }

  private Applied cancel(TaskId task, String reason) {
    return word("cancel task " + task, Statements.CANCEL, task.value(), reason);
  }

  private Applied word(String doing, Statements statement, Object first, @Nullable Object second) {
    return database.connected(
        doing,
        connection ->
            Database.persistently(
                connection,
                on ->
                    Database.run(
                        on,
                        statement,
                        prepared -> {
                          prepared.setObject(1, first);
                          if (second != null) {
                            prepared.setObject(2, second);
                          }
                          return answer(prepared);
                        })));
  }

  private static Applied answer(PreparedStatement prepared) throws SQLException {
    try (ResultSet row = prepared.executeQuery()) {
      row.next();
      return applied(row.getString(1));
    }
  }

  private static Applied applied(String word) {
    return switch (word) {
      case "done" -> Applied.DONE;
      case "requested" -> Applied.REQUESTED;
      case "unchanged" -> Applied.UNCHANGED;
      case "full" -> Applied.QUOTA_FULL;
      case "unknown" -> Applied.NOT_FOUND;
      default -> throw new IllegalStateException("Unknown answer \"" + word + "\"");
    };
  }
}
