package dev.berth.postgres;

import dev.berth.limit.LimitKey;
import dev.berth.store.Applied;
import dev.berth.store.Command;
import dev.berth.task.TaskId;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Commands as calls of SQL functions. */
record Commands(Database database) {

  Applied apply(Command command) {
    return switch (command) {
      case Command.Cancel(TaskId task, String reason) -> cancel(task, reason);
      case Command.RetryTask(TaskId task) ->
          word("retry task " + task, Statements.RETRY, task.value(), null);
      case Command.PauseQueue(String queue) ->
          word("pause queue " + queue, Statements.PAUSE, queue, null);
      case Command.ResumeQueue(String queue) ->
          word("resume queue " + queue, Statements.RESUME, queue, null);
      case Command.SetLimit set -> setLimit(set);
      case Command.ResetLimit(LimitKey key) ->
          word("reset limit " + key, Statements.RESET_LIMIT, key.value(), null);
      case Command.PauseLimit(LimitKey key) ->
          onAllTasks(
              "pause limit " + key, Statements.PAUSE_LIMIT, p -> p.setString(1, key.value()));
      case Command.ResumeLimit(LimitKey key) ->
          word("resume limit " + key, Statements.RESUME_LIMIT, key.value(), null);
      case Command.RecountLimit(LimitKey key) ->
          word("recount limit " + key, Statements.RECOUNT_LIMIT, key.value(), null);
      case Command.ReleaseSlot(LimitKey key, long token) ->
          word("release a slot of " + key, Statements.RELEASE_SLOT, key.value(), token);
      case Command.SkipStep(String workflow, String step) ->
          word("skip step " + step + " of " + workflow, Statements.SKIP_STEP, workflow, step);
      case Command.CancelWorkflow(String workflow, String reason) ->
          word(
              "cancel workflow " + workflow,
              Statements.CANCEL_WORKFLOW,
              workflow,
              Texts.storable(reason));
      case Command.RetryWorkflow(String workflow) ->
          word("retry workflow " + workflow, Statements.RETRY_WORKFLOW, workflow, null);
    };
  }

  private Applied setLimit(Command.SetLimit set) {
    Duration lasts = set.lasts();
    return onAllTasks(
        "set limit " + set.key(),
        Statements.SET_LIMIT,
        prepared -> {
          prepared.setString(1, set.key().value());
          prepared.setInt(2, set.slots());
          prepared.setObject(3, lasts == null ? null : (Long) lasts.toMillis(), Types.BIGINT);
        });
  }

  /** The limit of a type is put on all its tasks: that may take some time, if millions wait. */
  private Applied onAllTasks(String doing, Statements statement, Database.Binding binding) {
    return database.connected(
        doing,
        Duration.ZERO,
        connection ->
            Database.run(
                connection,
                statement,
                prepared -> {
                  binding.on(prepared);
                  return answer(prepared);
                }));
  }

  private Applied cancel(TaskId task, String reason) {
    return word("cancel task " + task, Statements.CANCEL, task.value(), Texts.storable(reason));
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
      case "full" -> Applied.LIMIT_REACHED;
      case "unknown" -> Applied.NOT_FOUND;
      default -> throw new IllegalStateException("Unknown answer \"" + word + "\"");
    };
  }
}
