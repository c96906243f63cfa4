package dev.berth.memory;

import dev.berth.limit.Need;
import dev.berth.view.Explanation;
import dev.berth.view.Explanation.Held;
import dev.berth.view.Explanation.Line;
import dev.berth.view.Obstacle;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/** Says why a task is where it is. Guarded by the lock of the store. */
record MemoryExplain(
    MemoryTasks tasks,
    MemorySessions sessions,
    MemorySlots slots,
    MemoryAdmission admission,
    MemoryWorkflows workflows,
    Set<String> paused) {

  /** From so many ends the speed of a line is known well enough. */
  private static final int ENDS = 20;

  private static final Duration OF_LATE = Duration.ofSeconds(10);

  Explanation of(MemoryTask task, Instant now) {
    if (task.session != null) {
      return new Explanation.Running(task.view(), task.session.id, held(task));
    }
    return task.state.ended() ? new Explanation.Ended(task.view()) : waiting(task, now);
  }

  private Explanation waiting(MemoryTask task, Instant now) {
    Line line = tasks.isWaiting(task) ? null : Line.of(ahead(task));
    List<MemoryRun> ends = ends(task, now);
    Instant first = ends.isEmpty() ? now : ends.getLast().endedAt();
    return Explanation.Waiting.of(
        task.view(), obstacles(task, now), line, ends.size(), Duration.between(first, now));
  }

  private List<Obstacle> obstacles(MemoryTask task, Instant now) {
    String type = task.submission.type();
    String queue = task.submission.queue();
    List<Obstacle> obstacles = new ArrayList<>();
    MemoryWorkflow workflow = workflows.of(task);
    String current = workflow == null ? null : workflow.current();
    if (workflow != null && current != null && workflow.holds(task)) {
      obstacles.add(new Obstacle.HeldByWorkflow(workflow.name, current, workflow.blocked()));
    }
    if (tasks.isWaiting(task) && task.due().isAfter(now)) {
      obstacles.add(new Obstacle.NotDue(task.due()));
    }
    if (paused.contains(queue)) {
      obstacles.add(new Obstacle.QueuePaused(queue));
    }
    if (sessions.alive(now).stream().noneMatch(session -> session.serves(type, queue))) {
      obstacles.add(new Obstacle.NoWorker(type, queue));
    }
    for (Need need : task.submission.lane().needs()) {
      if (admission.isReserved(need.key(), task.submission.lane().name(), now)) {
        obstacles.add(new Obstacle.Reserved(need.key()));
      }
      obstacles.addAll(slots.obstacles(need, now));
    }
    return obstacles;
  }

  private long ahead(MemoryTask task) {
    return line(task)
        .filter(other -> other.session == null && !other.state.ended() && !tasks.isWaiting(other))
        .filter(other -> ReadyTasks.IN_LINE.compare(other, task) < 0)
        .limit(Line.MOST + 1L)
        .count();
  }

  /**
   * The last ends of the line that the history knows, newest first. None where no slot came back
   * for twice as long as an attempt takes: what holds them now is not like what was before.
   */
  private List<MemoryRun> ends(MemoryTask task, Instant now) {
    List<MemoryRun> ends =
        line(task)
            .flatMap(other -> other.runs.stream())
            .filter(MemoryRun::hasEnded)
            .sorted(Comparator.comparing(MemoryRun::endedAt).reversed())
            .limit(ENDS)
            .toList();
    Duration twice =
        ends.stream().map(MemoryRun::lasted).reduce(Duration.ZERO, Duration::plus).multipliedBy(2);
    boolean moves =
        !ends.isEmpty()
            && Stream.of(OF_LATE, twice.dividedBy(ends.size()))
                .anyMatch(late -> !ends.getFirst().endedAt().plus(late).isBefore(now));
    return moves ? ends : List.of();
  }

  /** The tasks of the same queue and, under limits, of the same type and lane, in any state. */
  private Stream<MemoryTask> line(MemoryTask task) {
    String lane = task.submission.lane().name();
    return Stream.concat(tasks.live().stream(), tasks.ended().stream())
        .filter(other -> other.submission.queue().equals(task.submission.queue()))
        .filter(other -> other.submission.lane().name().equals(lane))
        .filter(other -> lane.isEmpty() || other.submission.type().equals(task.submission.type()));
  }

  private static List<Held> held(MemoryTask task) {
    return task.submission.lane().needs().stream()
        .map(need -> new Held(need.key(), MemoryTask.NO_GROUP, need.weight()))
        .toList();
  }
}
