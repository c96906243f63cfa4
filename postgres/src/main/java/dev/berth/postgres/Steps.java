package dev.berth.postgres;

import dev.berth.store.Submission;
import dev.berth.task.Step;
import dev.berth.task.TaskId;
import dev.berth.task.TaskState;
import dev.berth.view.StepView;
import dev.berth.view.WorkflowView;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.util.List;
import java.util.Locale;
import java.util.UUID;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The steps of a batch on their way in; workflows and steps on their way out. */
final class Steps {

  private Steps() {}

  /** Sets three arguments; null for a batch without steps, which then costs nothing. */
  static void bind(
      Connection connection, PreparedStatement statement, int first, List<Submission> batch)
      throws SQLException {
    if (batch.stream().allMatch(submission -> submission.step() == null)) {
      statement.setNull(first, Types.ARRAY);
      statement.setNull(first + 1, Types.ARRAY);
      statement.setNull(first + 2, Types.ARRAY);
      return;
    }
    List<Function<Step, String>> parts =
        List.of(
            Step::workflow, Step::name, step -> step.onFailure().name().toLowerCase(Locale.ROOT));
    for (int i = 0; i < parts.size(); i++) {
      Function<Step, String> part = parts.get(i);
      statement.setArray(first + i, Arrays.of(connection, "text", batch, s -> of(s.step(), part)));
    }
  }

  private static @Nullable String of(@Nullable Step step, Function<Step, String> part) {
    return step == null ? null : part.apply(step);
  }

  static WorkflowView workflow(ResultSet row, List<StepView> steps) throws SQLException {
    return new WorkflowView(
        row.getString("name"),
        WorkflowView.State.valueOf(row.getString("state")),
        row.getString("step"),
        WorkflowView.counts(
            row.getLong("pending"),
            row.getLong("running"),
            row.getLong("retrying"),
            row.getLong("finished"),
            row.getLong("failed"),
            row.getLong("cancelled")),
        steps);
  }

  static StepView step(ResultSet row) throws SQLException {
    return new StepView(
        row.getString("step"),
        new TaskId(row.getObject("task_id", UUID.class)),
        row.getString("type"),
        TaskState.valueOf(row.getString("state")),
        row.getBoolean("skipped"),
        PostgresReader.maybeInstant(row, "ended_at"),
        row.getString("result"),
        row.getString("error"));
  }
}
