package dev.berth.memory;

import dev.berth.memory.MemoryWorkflow.EndedStep;
import dev.berth.task.OnFailure;
import dev.berth.task.Step;
import dev.berth.view.StepView;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Which steps belong together, and which of them comes next. What a call changes is noted; {@link
 * #advance} then lets those workflows go on. Guarded by the lock of the store.
 */
final class MemoryWorkflows {

  private static final Duration SHORTEST_KEPT = Duration.ofDays(1);

  private final Map<String, MemoryWorkflow> workflows = new TreeMap<>();
  private final Set<MemoryWorkflow> changed = new LinkedHashSet<>();
  private long lastNumber;

  @Nullable MemoryWorkflow find(String name) {
    return workflows.get(name);
  }

  /** The workflow that this task is a step of. */
  @Nullable MemoryWorkflow of(MemoryTask task) {
    Step step = task.submission.step();
    return step == null ? null : workflows.get(step.workflow());
  }

  Collection<MemoryWorkflow> all() {
    return Collections.unmodifiableCollection(workflows.values());
  }

  Optional<StepView> find(@Nullable Step step) {
    MemoryWorkflow workflow = step == null ? null : workflows.get(step.workflow());
    return workflow == null || step == null ? Optional.empty() : workflow.find(step.name());
  }

  boolean knows(@Nullable Step step) {
    MemoryWorkflow workflow = step == null ? null : workflows.get(step.workflow());
    return workflow != null && step != null && workflow.knows(step.name());
  }

  /** Whether the task has to wait for others of its workflow. */
  boolean holds(MemoryTask task) {
    MemoryWorkflow workflow = of(task);
    return workflow != null && workflow.holds(task);
  }

  /** A live step, new or to be tried again; false where the task is none. */
  boolean add(MemoryTask task) {
    Step step = task.submission.step();
    if (step == null) {
      return false;
    }
    MemoryWorkflow workflow = workflows.computeIfAbsent(step.workflow(), MemoryWorkflow::new);
    workflow.add(task, ++lastNumber);
    changed.add(workflow);
    return true;
  }

  /** A task has ended for good. */
  void end(MemoryTask task, int days, Instant now) {
    MemoryWorkflow workflow = of(task);
    if (workflow != null) {
      workflow.end(task, now);
      Duration kept = Duration.ofDays(days);
      workflow.keptUntil = now.plus(kept.compareTo(SHORTEST_KEPT) < 0 ? SHORTEST_KEPT : kept);
      changed.add(workflow);
    }
  }

  void changed(MemoryWorkflow workflow) {
    changed.add(workflow);
  }

  /** Lets workflows go on in which something has ended or come. */
  void advance(MemoryTasks tasks, MemoryAttempts attempts, Instant now) {
    while (!changed.isEmpty()) {
      MemoryWorkflow workflow = changed.iterator().next();
      changed.remove(workflow);
      advance(workflow, tasks, attempts, now);
    }
  }

  private static void advance(
      MemoryWorkflow workflow, MemoryTasks tasks, MemoryAttempts attempts, Instant now) {
    MemoryTask next = workflow.first();
    if (workflow.active() != null || next == null) {
      return;
    }
    if (workflow.cancelled != null) {
      cancelAll(workflow, attempts, workflow.cancelled, now);
    } else if (!workflow.blocked()) {
      workflow.activate(next);
      tasks.queue(next, next.due(), now);
    } else {
      EndedStep block = workflow.block().orElseThrow();
      if (block.blocks() == OnFailure.CANCEL_REST) {
        String reason = "step %s of the workflow has %s";
        String how = block.view().state().name().toLowerCase(java.util.Locale.ROOT);
        cancelAll(workflow, attempts, reason.formatted(block.view().name(), how), now);
      }
    }
  }

  private static void cancelAll(
      MemoryWorkflow workflow, MemoryAttempts attempts, String reason, Instant now) {
    List<MemoryTask> rest = workflow.live();
    for (MemoryTask task : rest) {
      task.among = true;
      attempts.cancel(task, reason, now);
    }
  }

  void prune(Instant now) {
    workflows
        .values()
        .removeIf(workflow -> workflow.first() == null && !workflow.keptUntil.isAfter(now));
  }
}
