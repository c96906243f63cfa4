package dev.berth.postgres;

import dev.berth.limit.LimitKey;
import dev.berth.store.StoreException;
import dev.berth.task.Counts;
import dev.berth.task.Names;
import dev.berth.task.Place;
import dev.berth.task.TaskId;
import dev.berth.task.TaskState;
import dev.berth.view.AttemptView;
import dev.berth.view.AuditFilter;
import dev.berth.view.Capacity;
import dev.berth.view.Drift;
import dev.berth.view.Explanation;
import dev.berth.view.LimitAudit;
import dev.berth.view.LimitView;
import dev.berth.view.QueueView;
import dev.berth.view.QuotaView;
import dev.berth.view.ScheduleView;
import dev.berth.view.SessionId;
import dev.berth.view.SessionView;
import dev.berth.view.StepView;
import dev.berth.view.StoreReader;
import dev.berth.view.TaskFilter;
import dev.berth.view.TaskView;
import dev.berth.view.Times;
import dev.berth.view.WorkflowView;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Reads through the views. */
final class PostgresReader implements StoreReader {

  private final Database database;

  PostgresReader(Database database) {
    this.database = database;
  }

  /** Reads one row. */
  @FunctionalInterface
  private interface Row<T> {
    T read(ResultSet row) throws SQLException;
  }

  @Override
  public Optional<TaskView> find(TaskId id) {
    return query(
            "find task " + id,
            Statements.FIND,
            statement -> statement.setObject(1, id.value()),
            PostgresReader::task)
        .stream()
        .findFirst();
  }

  @Override
  public List<TaskView> named(String name) {
    Names.check("task", name);
    return query(
        "find the tasks named " + name,
        Statements.NAMED,
        statement -> statement.setString(1, name),
        PostgresReader::task);
  }

  @Override
  public List<TaskView> list(TaskFilter filter) {
    Set<TaskState> states =
        filter.states().isEmpty() ? EnumSet.allOf(TaskState.class) : filter.states();
    return query(
        "list tasks",
        Statements.LIST,
        statement -> {
          statement.setArray(
              1, Arrays.of(statement.getConnection(), "text", states, TaskState::name));
          statement.setString(2, filter.type());
          statement.setString(3, filter.queue());
          statement.setInt(4, filter.most());
        },
        PostgresReader::task);
  }

  @Override
  public List<AttemptView> attempts(TaskId id) {
    return query(
        "read the attempts of task " + id,
        Statements.ATTEMPTS,
        statement -> statement.setObject(1, id.value()),
        PostgresReader::attempt);
  }

  @Override
  public List<QueueView> queues() {
    return query(
        "count the queues",
        Statements.QUEUES,
        statement -> {},
        row ->
            new QueueView(
                row.getString("name"),
                row.getBoolean("paused"),
                row.getLong("waiting"),
                row.getLong("ready"),
                row.getLong("running")));
  }

  @Override
  public List<SessionView> sessions() {
    return query(
        "list the sessions", Statements.SESSIONS, statement -> {}, PostgresReader::session);
  }

  @Override
  public List<QuotaView> quotas() {
    return query(
            "count the quotas",
            Statements.QUOTAS,
            statement -> {},
            row -> new QuotaView(new LimitKey(row.getString("key")), row.getInt("count")))
        .stream()
        .sorted(Comparator.comparing(QuotaView::key))
        .toList();
  }

  @Override
  public List<LimitView> limits() {
    Map<LimitView, List<LimitView.Holder>> limits = new LinkedHashMap<>();
    for (Held held :
        query("list the limits", Statements.LIMITS, statement -> {}, PostgresReader::held)) {
      List<LimitView.Holder> holders =
          limits.computeIfAbsent(held.limit(), limit -> new ArrayList<>());
      Optional.ofNullable(held.holder()).ifPresent(holders::add);
    }
    return limits.entrySet().stream()
        .map(limit -> limit.getKey().heldBy(limit.getValue()))
        .toList();
  }

  @Override
  public List<ScheduleView> schedules() {
    return query("list the schedules", Statements.SCHEDULES, statement -> {}, ScheduleRows::view);
  }

  @Override
  public Optional<Explanation> explain(TaskId id) {
    List<Explained> rows =
        query(
            "explain task " + id,
            Statements.EXPLAIN,
            statement -> statement.setObject(1, id.value()),
            Explained::read);
    return rows.isEmpty() ? Optional.empty() : Optional.of(Explained.together(rows));
  }

  @Override
  public List<LimitAudit> audit(AuditFilter filter) {
    return query(
        "audit the limits",
        Statements.AUDIT,
        statement -> {
          statement.setString(1, filter.key() == null ? null : filter.key().value());
          statement.setObject(
              2, filter.from() == null ? null : filter.from().atOffset(ZoneOffset.UTC));
        },
        row ->
            new LimitAudit(
                new LimitKey(row.getString("key")),
                row.getInt("peak"),
                row.getObject("slots", Integer.class),
                instant(row, "at"),
                row.getBoolean("over"),
                row.getInt("forgiven")));
  }

  @Override
  public List<Drift> drift() {
    return query(
        "compare the counters of limits",
        Statements.DRIFT,
        statement -> {},
        row ->
            new Drift(
                new LimitKey(row.getString("key")),
                Drift.Counter.valueOf(row.getString("counter")),
                row.getInt("number"),
                row.getLong("counted"),
                row.getLong("actual")));
  }

  @Override
  public List<String> unreadable() {
    return query(
        "look for rows that cannot be read",
        Statements.UNREADABLE,
        statement -> {},
        row ->
            "%s %s: %s"
                .formatted(row.getString("kind"), row.getString("name"), row.getString("fault")));
  }

  @Override
  public Optional<WorkflowView> workflow(String name) {
    Names.check("workflow", name);
    return query(
            "look at workflow " + name,
            Statements.WORKFLOW,
            statement -> statement.setString(1, name),
            row -> Steps.workflow(row, List.of()))
        .stream()
        .findFirst()
        .map(whole ->
            new WorkflowView(
                whole.name(), whole.state(), whole.step(), whole.counts(), steps(name)));
  }

  private List<StepView> steps(String workflow) {
    return query(
        "list the steps of workflow " + workflow,
        Statements.STEPS,
        statement -> {
          statement.setString(1, workflow);
          statement.setInt(2, WorkflowView.MOST);
        },
        Steps::step);
  }

  @Override
  public List<WorkflowView> workflows(int most) {
    WorkflowView.checkListed(most);
    return query(
        "list the workflows",
        Statements.WORKFLOWS,
        statement -> {
          statement.setInt(1, most);
          statement.setInt(2, most);
        },
        row -> Steps.workflow(row, List.of()));
  }

  @Override
  public Optional<StepView> step(TaskId task, String name) {
    Names.check("step", name);
    return query(
            "look at step " + name,
            Statements.STEP,
            statement -> {
              statement.setObject(1, task.value());
              statement.setString(2, name);
            },
            Steps::step)
        .stream()
        .findFirst();
  }

  /** A limit without its holders, and one of them. */
  private record Held(LimitView limit, LimitView.@Nullable Holder holder) {}

  private static Held held(ResultSet row) throws SQLException {
    LimitView limit =
        new LimitView(
            new LimitKey(row.getString("limit_key")),
            row.getInt("slots"),
            row.getInt("used"),
            row.getLong("waiting"),
            row.getBoolean("paused"),
            LimitView.Source.valueOf(row.getString("source")),
            List.of());
    return new Held(limit, row.getString("key") == null ? null : holder(row));
  }

  private static LimitView.Holder holder(ResultSet row) throws SQLException {
    return new LimitView.Holder(
        maybeTask(row, "task_id"),
        row.getString("type"),
        row.getLong("token"),
        row.getString("worker"),
        instant(row, "expires_at"),
        instant(row, "since"),
        row.getInt("number"),
        row.getInt("count"));
  }

  private <T> List<T> query(
      String doing, Statements statement, Database.Binding binding, Row<T> reading) {
    return database.run(
        doing,
        statement,
        prepared -> {
          binding.on(prepared);
          List<T> all = new ArrayList<>();
          try (ResultSet rows = prepared.executeQuery()) {
            while (rows.next()) {
              all.add(read(doing, reading, rows));
            }
          }
          return all;
        });
  }

  /** What somebody wrote by hand may be no limit key, no state or no name. */
  private static <T> T read(String doing, Row<T> reading, ResultSet row) throws SQLException {
    try {
      return reading.read(row);
    } catch (IllegalArgumentException e) {
      throw new StoreException(
          StoreException.Kind.CORRUPT,
          "Could not " + doing + ": a row is none that Berth has written: " + e.getMessage(),
          e);
    }
  }

  static TaskView task(ResultSet row) throws SQLException {
    return new TaskView(
        new TaskId(row.getObject("id", UUID.class)),
        row.getString("type"),
        new Place(row.getString("queue"), row.getInt("priority")),
        TaskState.valueOf(row.getString("state")),
        new Times(
            instant(row, "submitted_at"),
            instant(row, "due_at"),
            maybeInstant(row, "started_at"),
            maybeInstant(row, "ended_at")),
        new Counts(row.getInt("attempt"), row.getInt("failures"), row.getInt("crashes")),
        new TaskView.Input(
            row.getString("name"),
            row.getString("payload"),
            Arrays.pairs(row, "metadata"),
            TaskView.StepName.of(row.getString("workflow"), row.getString("step"))),
        new TaskView.Report(
            row.getString("worker"),
            row.getString("progress"),
            row.getString("result"),
            row.getString("error")));
  }

  private static AttemptView attempt(ResultSet row) throws SQLException {
    String outcome = row.getString("outcome").toUpperCase(Locale.ROOT);
    return new AttemptView(
        row.getInt("attempt"),
        outcome.equals("RETRY") ? AttemptView.Ending.RETRYING : AttemptView.Ending.valueOf(outcome),
        maybeInstant(row, "started_at"),
        instant(row, "ended_at"),
        row.getLong("token"),
        row.getString("worker"),
        row.getString("error"));
  }

  private static SessionView session(ResultSet row) throws SQLException {
    return new SessionView(
        new SessionId(row.getString("id")),
        row.getString("worker"),
        instant(row, "opened_at"),
        instant(row, "expires_at"),
        new Capacity(row.getInt("free"), row.getInt("max"), row.getDouble("memory")),
        Arrays.texts(row, "queues"),
        Arrays.texts(row, "types"),
        row.getLong("running"));
  }

  static Instant instant(ResultSet row, String column) throws SQLException {
    return row.getObject(column, OffsetDateTime.class).toInstant();
  }

  static @Nullable TaskId maybeTask(ResultSet row, String column) throws SQLException {
    UUID id = row.getObject(column, UUID.class);
    return id == null ? null : new TaskId(id);
  }

  static @Nullable Instant maybeInstant(ResultSet row, String column) throws SQLException {
    OffsetDateTime time = row.getObject(column, OffsetDateTime.class);
    return time == null ? null : time.toInstant();
  }
}
