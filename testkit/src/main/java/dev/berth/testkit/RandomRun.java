package dev.berth.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.store.Claim;
import dev.berth.store.Command;
import dev.berth.store.Ended;
import dev.berth.store.Exchanged;
import dev.berth.store.Lease;
import dev.berth.store.Store;
import dev.berth.task.OnFailure;
import dev.berth.task.Outcome;
import dev.berth.task.TaskId;
import dev.berth.task.TaskState;
import dev.berth.view.AttemptView;
import dev.berth.view.QueueView;
import dev.berth.view.TaskFilter;
import dev.berth.view.TaskView;
import dev.berth.view.WorkflowView;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;

/**
 * Random calls from one seed, and what must be true after each of them: every accepted task is in
 * exactly one state, a task and a workflow have at most one living owner, the counts add up. At the
 * end all work is drained, and every task has ended.
 */
final class RandomRun {

  private static final String[] QUEUES = {"default", "letters"};
  private static final String[] WORKFLOWS = {"order-1", "order-2", "order-3"};
  private static final String[] TYPES = {"mail", "print", "fax"};
  private static final TaskFilter EVERYTHING = TaskFilter.ALL.most(10_000);

  private final StoreFixture fixture;
  private final Store store;
  private final long seed;
  private final Random random;
  private final List<TaskId> submitted = new ArrayList<>();
  private final Map<TaskId, String> types = new HashMap<>();
  private final Map<TaskId, String> workflows = new HashMap<>();
  private final List<Holder> holders = new ArrayList<>();
  private final List<Lease> past = new ArrayList<>();
  private int opened;

  RandomRun(StoreFixture fixture, long seed) {
    this.fixture = fixture;
    this.store = fixture.store();
    this.seed = seed;
    this.random = new Random(seed);
  }

  void run(int steps) {
    for (int step = 1; step <= steps; step++) {
      String call = "nothing";
      try {
        call = call();
        checkState();
      } catch (AssertionError | RuntimeException e) {
        throw Seeds.failed(seed, "step " + step + ", after " + call, e);
      }
    }
    try {
      drain();
      checkEnd();
    } catch (AssertionError | RuntimeException e) {
      throw Seeds.failed(seed, "at the end", e);
    }
  }

  private String call() {
    int dice = random.nextInt(100);
    if (dice < 25) {
      return submit();
    } else if (dice < 60) {
      return exchange();
    } else if (dice < 68) {
      return heartbeat();
    } else if (dice < 74) {
      return open();
    } else if (dice < 76) {
      return leave();
    } else if (dice < 84) {
      fixture.advance(Duration.ofSeconds(1 + random.nextInt(20)));
      return "advance";
    } else if (dice < 91) {
      store.sweep();
      return "sweep";
    } else if (dice < 95) {
      return onTask(new Command.Cancel(anyTask(), "not wanted"));
    } else if (dice < 97) {
      return onTask(new Command.RetryTask(anyTask()));
    }
    String queue = QUEUES[random.nextInt(QUEUES.length)];
    store.apply(
        random.nextBoolean() ? new Command.PauseQueue(queue) : new Command.ResumeQueue(queue));
    return "pause or resume";
  }

  private String submit() {
    List<Draft> batch = new ArrayList<>();
    for (int i = 0; i <= random.nextInt(4); i++) {
      Draft draft =
          Draft.task()
              .queue(QUEUES[random.nextInt(QUEUES.length)])
              .type(TYPES[random.nextInt(TYPES.length)])
              .priority(random.nextInt(10));
      boolean repeated = !submitted.isEmpty() && random.nextInt(5) == 0;
      draft = repeated ? draft.ownId(anyTask()) : draft;
      draft = random.nextInt(3) == 0 ? draft.delay(seconds(40)) : draft;
      batch.add(sameType(random.nextInt(4) == 0 ? step(draft) : draft));
    }
    store
        .submit(batch.stream().map(Draft::submission).toList())
        .forEach(answer -> {
          if (!submitted.contains(answer.id())) {
            submitted.add(answer.id());
          }
        });
    return "submit";
  }

  /** Another type under an id that is known would be a conflict. */
  private Draft sameType(Draft draft) {
    return draft.type(types.computeIfAbsent(draft.id(), id -> draft.submission().type()));
  }

  /** A step that lets the others run however it ends, so that all work can be drained. */
  private Draft step(Draft draft) {
    String workflow = WORKFLOWS[random.nextInt(WORKFLOWS.length)];
    Draft step = draft.step(workflow, "" + random.nextInt(100), OnFailure.CONTINUE);
    workflows.put(step.id(), workflow);
    return step;
  }

  private String open() {
    opened++;
    String[] types = {TYPES[random.nextInt(TYPES.length)], TYPES[random.nextInt(TYPES.length)]};
    String worker = "worker-" + opened;
    Instant before = fixture.now();
    Holder holder = new Holder(worker, Claimer.open(store, worker, types), before);
    holders.add(holder);
    return "open " + holder.worker;
  }

  private String exchange() {
    if (holders.isEmpty()) {
      return open();
    }
    Holder holder = holders.get(random.nextInt(holders.size()));
    List<Ended> ended = new ArrayList<>();
    Set<Lease> stale = new LinkedHashSet<>();
    for (Lease lease : List.copyOf(holder.held.values())) {
      if (random.nextInt(3) == 0) {
        ended.add(new Ended(lease, outcome()));
      }
    }
    if (!past.isEmpty() && random.nextInt(4) == 0) {
      Lease lease = past.get(random.nextInt(past.size()));
      stale.add(lease);
      ended.add(new Ended(lease, outcome()));
    }
    String[] queues = random.nextBoolean() ? QUEUES : new String[] {QUEUES[random.nextInt(2)]};
    Exchanged answer = holder.claimer.exchange(ended, random.nextInt(5), queues);
    // An exchange that did nothing may leave no trace: its repeat may then find new work.
    boolean didNothing =
        ended.isEmpty() && answer instanceof Exchanged.Done done && done.claims().isEmpty();
    if (random.nextInt(4) == 0 && !didNothing) {
      Exchanged repeated = holder.claimer.repeat();
      boolean expired =
          repeated instanceof Exchanged.SessionLost && holder.mayBeDead(fixture.now());
      assertThat(expired ? answer : repeated).isEqualTo(answer);
    }
    switch (answer) {
      case Exchanged.SessionLost lost -> lost(holder);
      case Exchanged.Done done -> {
        assertThat(holder.lost).as("%s was lost", holder.worker).isFalse();
        assertThat(new HashSet<>(done.stale())).isEqualTo(stale);
        ended.forEach(end -> endedBy(holder, end.lease()));
        done.claims().forEach(claim -> claimedBy(holder, claim));
      }
    }
    return "exchange of " + holder.worker;
  }

  private String heartbeat() {
    if (holders.isEmpty()) {
      return open();
    }
    Holder holder = holders.get(random.nextInt(holders.size()));
    Instant before = fixture.now();
    if (holder.claimer.heartbeat().alive()) {
      assertThat(holder.lost).as("%s was lost", holder.worker).isFalse();
      holder.renewed(before);
    } else {
      lost(holder);
    }
    return "heartbeat of " + holder.worker;
  }

  private String leave() {
    if (holders.isEmpty()) {
      return open();
    }
    Holder holder = holders.get(random.nextInt(holders.size()));
    holder.claimer.leave();
    drop(holder);
    return "leave of " + holder.worker;
  }

  private String onTask(Command command) {
    store.apply(command);
    return command.toString();
  }

  private TaskId anyTask() {
    return submitted.isEmpty() ? TaskId.next() : submitted.get(random.nextInt(submitted.size()));
  }

  private Duration seconds(int most) {
    return Duration.ofSeconds(random.nextInt(most));
  }

  private Outcome outcome() {
    return switch (random.nextInt(6)) {
      case 0 -> new Outcome.Retrying("busy", seconds(30));
      case 1 -> new Outcome.Failed("broken");
      case 2 -> new Outcome.Released();
      case 3 -> new Outcome.Cancelled("not wanted");
      default -> new Outcome.Finished("{}");
    };
  }

  /** A new owner: every other one must have been past its time. */
  private void claimedBy(Holder holder, Claim claim) {
    TaskId task = claim.lease().task();
    assertThat(submitted).contains(task);
    for (Holder other : List.copyOf(holders)) {
      if (other.held.keySet().stream().anyMatch(held -> excludes(held, task))) {
        assertThat(other.mayBeDead(fixture.now()))
            .as("%s holds %s or its workflow, which %s claimed", other.worker, task, holder.worker)
            .isTrue();
        lost(other);
      }
    }
    holder.held.put(task, claim.lease());
  }

  /** Whether these cannot run at once: the same task, or two steps of one workflow. */
  private boolean excludes(TaskId one, TaskId other) {
    String workflow = workflows.get(one);
    return one.equals(other) || workflow != null && workflow.equals(workflows.get(other));
  }

  private void endedBy(Holder holder, Lease lease) {
    holder.held.remove(lease.task(), lease);
    past.add(lease);
  }

  private void lost(Holder holder) {
    assertThat(holder.mayBeDead(fixture.now())).as("%s is dead", holder.worker).isTrue();
    past.addAll(holder.held.values());
    holder.held.clear();
    holder.lost = true;
  }

  private void drop(Holder holder) {
    past.addAll(holder.held.values());
    holders.remove(holder);
  }

  private void checkState() {
    List<TaskView> all = store.reader().list(EVERYTHING);
    assertThat(all).extracting(TaskView::id).containsExactlyInAnyOrderElementsOf(submitted);
    Map<TaskId, TaskView> byId = new HashMap<>();
    all.forEach(task -> byId.put(task.id(), task));
    Instant now = fixture.now();
    for (Holder holder : holders) {
      if (!holder.mayBeDead(now)) {
        for (TaskId task : holder.held.keySet()) {
          assertThat(byId.get(task))
              .extracting(TaskView::state, each -> each.report().worker())
              .containsExactly(TaskState.RUNNING, holder.worker);
        }
      }
    }
    List<QueueView> queues = store.reader().queues();
    for (String queue : QUEUES) {
      assertThat(counted(queues, queue)).isEqualTo(listed(all, queue));
    }
  }

  /** What the queue says of itself: tasks in all, of them running. */
  private static List<Long> counted(List<QueueView> queues, String name) {
    return queues.stream()
        .filter(queue -> queue.queue().equals(name))
        .findFirst()
        .map(queue -> List.of(queue.waiting() + queue.ready() + queue.running(), queue.running()))
        .orElse(List.of(0L, 0L));
  }

  private static List<Long> listed(List<TaskView> all, String queue) {
    List<TaskView> live =
        all.stream().filter(task -> task.queue().equals(queue) && !task.state().ended()).toList();
    long running = live.stream().filter(task -> task.state() == TaskState.RUNNING).count();
    return List.of((long) live.size(), running);
  }

  /** Lets the old sessions die and finishes everything that is left. */
  private void drain() {
    for (String queue : QUEUES) {
      store.apply(new Command.ResumeQueue(queue));
    }
    fixture.advance(Duration.ofMinutes(10));
    for (boolean more = true; more; ) {
      int promoted = store.sweep().promoted();
      Claimer claimer = Claimer.open(store, "drain", TYPES);
      List<Claim> claims = claimer.claim(1_000, QUEUES);
      claimer.endAll(claims, new Outcome.Finished(null));
      claimer.leave();
      more = promoted + claims.size() > 0;
    }
  }

  private void checkEnd() {
    assertThat(store.reader().list(EVERYTHING))
        .hasSameSizeAs(submitted)
        .allMatch(task -> task.state().ended(), "has ended");
    assertThat(store.reader().queues()).isEmpty();
    assertThat(store.reader().workflows(10))
        .allMatch(workflow -> workflow.state() == WorkflowView.State.FINISHED, "has finished");
    for (TaskId task : submitted) {
      assertThat(store.reader().attempts(task))
          .filteredOn(attempt -> attempt.startedAt() != null)
          .extracting(AttemptView::token)
          .doesNotHaveDuplicates()
          .isSorted();
    }
  }

  /** One session and what it holds, as far as its worker can know. */
  private static final class Holder {
    private final String worker;
    private final Map<TaskId, Lease> held = new HashMap<>();
    private final Claimer claimer;
    private Instant aliveUntil;
    private boolean lost;

    Holder(String worker, Claimer claimer, Instant before) {
      this.worker = worker;
      this.claimer = claimer;
      this.aliveUntil = before.plus(Claimer.LEASE);
    }

    void renewed(Instant before) {
      aliveUntil = before.plus(Claimer.LEASE);
    }

    boolean mayBeDead(Instant now) {
      return lost || !now.isBefore(aliveUntil);
    }
  }
}
