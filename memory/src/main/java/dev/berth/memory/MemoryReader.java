package dev.berth.memory;

import dev.berth.task.Names;
import dev.berth.task.TaskId;
import dev.berth.task.TaskState;
import dev.berth.view.AttemptView;
import dev.berth.view.AuditFilter;
import dev.berth.view.Drift;
import dev.berth.view.Explanation;
import dev.berth.view.LimitAudit;
import dev.berth.view.LimitView;
import dev.berth.view.QueueView;
import dev.berth.view.QuotaView;
import dev.berth.view.ScheduleView;
import dev.berth.view.SessionView;
import dev.berth.view.StepView;
import dev.berth.view.StoreReader;
import dev.berth.view.TaskFilter;
import dev.berth.view.TaskView;
import dev.berth.view.WorkflowView;
import dev.berth.view.WorkflowView.State;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Stream;

/** Looks into the store, under its lock. */
final class MemoryReader implements StoreReader {

  /** Runs something under the lock of the store, at one instant. */
  interface Locked {
    <T> T at(Function<Instant, T> look);
  }

  private static final Comparator<MemoryTask> NEWEST_FIRST =
      Comparator.comparing((MemoryTask task) -> task.submittedAt)
          .thenComparing(MemoryTask::id)
          .reversed();

  private final Locked locked;
  private final MemoryTasks tasks;
  private final MemorySessions sessions;
  private final MemorySlots slots;
  private final MemoryAdmission admission;
  private final MemoryQuotas quotas;
  private final MemorySchedules schedules;
  private final MemoryWorkflows workflows;
  private final Set<String> paused;

  MemoryReader(
      Locked locked,
      MemoryTasks tasks,
      MemorySessions sessions,
      MemorySlots slots,
      MemoryAdmission admission,
      MemoryQuotas quotas,
      MemorySchedules schedules,
      MemoryWorkflows workflows,
      Set<String> paused) {
    this.locked = locked;
    this.tasks = tasks;
    this.sessions = sessions;
    this.slots = slots;
    this.admission = admission;
    this.quotas = quotas;
    this.schedules = schedules;
    this.workflows = workflows;
    this.paused = paused;
  }

  @Override
  public Optional<TaskView> find(TaskId id) {
    return locked.at(now -> Optional.ofNullable(tasks.find(id)).map(MemoryTask::view));
  }

  @Override
  public List<TaskView> named(String name) {
    Names.check("task", name);
    return locked.at(now ->
        Stream.concat(tasks.live().stream(), tasks.ended().stream())
            .filter(task -> name.equals(task.submission.name()))
            .map(MemoryTask::view)
            .sorted(Comparator.comparing(TaskView::type))
            .toList());
  }

  @Override
  public List<TaskView> list(TaskFilter filter) {
    return locked.at(now ->
        Stream.concat(tasks.live().stream(), tasks.ended().stream())
            .filter(task -> matches(task, filter))
            .sorted(NEWEST_FIRST)
            .limit(filter.most())
            .map(MemoryTask::view)
            .toList());
  }

  @Override
  public List<AttemptView> attempts(TaskId id) {
    return locked.at(now -> {
      MemoryTask task = tasks.find(id);
      return task == null ? List.of() : List.copyOf(task.attempts);
    });
  }

  @Override
  public List<QueueView> queues() {
    return locked.at(now -> {
      Map<String, QueueView> queues = new TreeMap<>();
      paused.forEach(queue -> queues.put(queue, new QueueView(queue, true, 0, 0, 0)));
      tasks
          .live()
          .forEach(task -> queues.merge(task.submission.queue(), count(task), MemoryReader::add));
      return List.copyOf(queues.values());
    });
  }

  @Override
  public List<SessionView> sessions() {
    return locked.at(now -> sessions.alive(now).stream().map(MemorySession::view).toList());
  }

  @Override
  public List<LimitView> limits() {
    return locked.at(now -> slots.views());
  }

  @Override
  public List<QuotaView> quotas() {
    return locked.at(now -> quotas.views());
  }

  @Override
  public List<ScheduleView> schedules() {
    return locked.at(now -> schedules.views());
  }

  @Override
  public Optional<Explanation> explain(TaskId id) {
    MemoryExplain explain = new MemoryExplain(tasks, sessions, slots, admission, workflows, paused);
    return locked.at(now -> Optional.ofNullable(tasks.find(id)).map(task -> explain.of(task, now)));
  }

  @Override
  public List<LimitAudit> audit(AuditFilter filter) {
    return locked.at(now -> new MemoryAudit(tasks).of(filter));
  }

  @Override
  public List<Drift> drift() {
    return locked.at(now -> slots.drift());
  }

  @Override
  public Optional<WorkflowView> workflow(String name) {
    Names.check("workflow", name);
    return locked.at(
        now -> Optional.ofNullable(workflows.find(name)).map(workflow -> workflow.view(true)));
  }

  @Override
  public List<WorkflowView> workflows(int most) {
    WorkflowView.checkListed(most);
    return locked.at(now ->
        workflows.all().stream()
            .map(workflow -> workflow.view(false))
            .sorted(Comparator.comparing(workflow -> workflow.state() != State.HALTED))
            .limit(most)
            .toList());
  }

  @Override
  public Optional<StepView> step(TaskId id, String name) {
    Names.check("step", name);
    return locked.at(now ->
        Optional.ofNullable(tasks.find(id))
            .map(workflows::of)
            .flatMap(workflow -> workflow.find(name)));
  }

  private static boolean matches(MemoryTask task, TaskFilter filter) {
    return filter.wants(task.state)
        && (filter.type() == null || filter.type().equals(task.submission.type()))
        && (filter.queue() == null || filter.queue().equals(task.submission.queue()));
  }

  private QueueView count(MemoryTask task) {
    boolean running = task.state == TaskState.RUNNING;
    boolean waiting = tasks.isWaiting(task);
    return new QueueView(
        task.submission.queue(),
        false,
        waiting ? 1 : 0,
        !running && !waiting ? 1 : 0,
        running ? 1 : 0);
  }

  private static QueueView add(QueueView a, QueueView b) {
    return new QueueView(
        a.queue(),
        a.paused() || b.paused(),
        a.waiting() + b.waiting(),
        a.ready() + b.ready(),
        a.running() + b.running());
  }
}
