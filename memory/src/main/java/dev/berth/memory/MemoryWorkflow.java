package dev.berth.memory;

import dev.berth.task.OnFailure;
import dev.berth.task.Step;
import dev.berth.task.TaskState;
import dev.berth.view.StepView;
import dev.berth.view.WorkflowView;
import dev.berth.view.WorkflowView.State;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The steps of one workflow, in their order. Guarded by the lock of the store. */
final class MemoryWorkflow {

  /**
   * A step that has ended.
   *
   * @param blocks what it does to those after it; null: nothing
   */
  record EndedStep(StepView view, long number, @Nullable OnFailure blocks) {

    EndedStep skipped() {
      return new EndedStep(
          new StepView(
              view.name(),
              view.task(),
              view.type(),
              view.state(),
              true,
              view.endedAt(),
              view.result(),
              view.error()),
          number,
          null);
    }
  }

  final String name;

  /** Why someone cancelled it as a whole; null unless someone did. */
  @Nullable String cancelled;

  /** How long it is known, once it has no live step. */
  Instant keptUntil = Instant.MAX;

  private final TreeMap<Long, MemoryTask> live = new TreeMap<>();
  private final TreeMap<Long, EndedStep> ended = new TreeMap<>();
  private final Map<String, Long> numbers = new HashMap<>();

  /** The one that may be claimed, or runs, or waits for its due time or a retry. */
  private @Nullable MemoryTask active;

  MemoryWorkflow(String name) {
    this.name = name;
  }

  void add(MemoryTask task, long next) {
    long number = numbers.computeIfAbsent(step(task).name(), step -> next);
    ended.remove(number);
    live.put(number, task);
    keptUntil = Instant.MAX;
  }

  boolean knows(String step) {
    return numbers.containsKey(step);
  }

  boolean holds(MemoryTask task) {
    return active != task;
  }

  void activate(MemoryTask task) {
    active = task;
  }

  void end(MemoryTask task, Instant now) {
    Step step = step(task);
    long number = numbers.getOrDefault(step.name(), 0L);
    live.remove(number);
    active = active == task ? null : active;
    boolean fine = task.state == TaskState.FINISHED || task.skipped || task.among;
    StepView view = view(task, now);
    OnFailure blocks = fine || step.onFailure() == OnFailure.CONTINUE ? null : step.onFailure();
    ended.put(number, new EndedStep(view, number, blocks));
  }

  /** Whether the step has ended in vain and was not skipped before. */
  boolean skip(String step) {
    EndedStep last = ended.get(numbers.getOrDefault(step, 0L));
    if (last == null || last.view().state() == TaskState.FINISHED || last.view().skipped()) {
      return false;
    }
    ended.put(last.number(), last.skipped());
    return true;
  }

  @Nullable MemoryTask active() {
    return active;
  }

  @Nullable MemoryTask first() {
    return live.isEmpty() ? null : live.firstEntry().getValue();
  }

  @Nullable MemoryTask live(String step) {
    return live.get(numbers.getOrDefault(step, 0L));
  }

  List<MemoryTask> live() {
    return List.copyOf(live.values());
  }

  Collection<EndedStep> ended() {
    return ended.values();
  }

  /** The first step that keeps others from running. */
  Optional<EndedStep> block() {
    return ended.values().stream().filter(step -> step.blocks() != null).findFirst();
  }

  /** Whether the next step has to wait for that one. */
  boolean blocked() {
    return active == null
        && block().filter(step -> live.isEmpty() || step.number() < live.firstKey()).isPresent();
  }

  Optional<StepView> find(String step) {
    return steps().filter(view -> view.name().equals(step)).findFirst();
  }

  WorkflowView view(boolean withSteps) {
    Map<TaskState, Long> counts = new EnumMap<>(TaskState.class);
    steps().forEach(step -> counts.merge(step.state(), 1L, Long::sum));
    List<StepView> steps = new ArrayList<>();
    if (withSteps) {
      ended.descendingMap().values().stream()
          .limit(WorkflowView.MOST)
          .forEach(step -> steps.addFirst(step.view()));
      live.values().stream().limit(WorkflowView.MOST).forEach(task -> steps.add(view(task, null)));
    }
    return new WorkflowView(name, state(), current(), counts, steps);
  }

  private State state() {
    if (cancelled != null) {
      return State.CANCELLED;
    }
    if (blocked()) {
      return block().filter(step -> step.blocks() == OnFailure.HALT).isPresent()
          ? State.HALTED
          : State.FAILED;
    }
    return live.isEmpty() ? State.FINISHED : State.RUNNING;
  }

  /** The step that is next or runs, or keeps the others. */
  @Nullable String current() {
    if (active != null) {
      return step(active).name();
    }
    if (blocked()) {
      return block().map(step -> step.view().name()).orElseThrow();
    }
    MemoryTask next = first();
    return next == null ? null : step(next).name();
  }

  private Stream<StepView> steps() {
    return Stream.concat(
        ended.values().stream().map(EndedStep::view),
        live.values().stream().map(task -> view(task, null)));
  }

  private static StepView view(MemoryTask task, @Nullable Instant endedAt) {
    return new StepView(
        step(task).name(),
        task.id(),
        task.submission.type(),
        task.state,
        task.skipped,
        endedAt,
        task.result,
        task.error);
  }

  private static Step step(MemoryTask task) {
    Step step = task.submission.step();
    if (step == null) {
      throw new IllegalStateException("Task " + task.id() + " is no step of a workflow");
    }
    return step;
  }
}
