package dev.berth.testkit;

import static java.time.Duration.ZERO;
import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.limit.Lane;
import dev.berth.limit.Limit;
import dev.berth.limit.LimitKey;
import dev.berth.limit.Need;
import dev.berth.store.Claim;
import dev.berth.store.Command;
import dev.berth.store.Ended;
import dev.berth.store.ExchangeRequest;
import dev.berth.store.Exchanged;
import dev.berth.store.Lease;
import dev.berth.store.Store;
import dev.berth.task.Outcome;
import dev.berth.task.TaskId;
import dev.berth.task.TaskState;
import dev.berth.view.AuditFilter;
import dev.berth.view.LimitAudit;
import dev.berth.view.LimitView;
import dev.berth.view.TaskFilter;
import dev.berth.view.TaskView;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;

/**
 * Random calls from one seed with tasks under random limits, and what must be true after each: the
 * slots in use are exactly those of the running tasks, and nothing started that brought a limit
 * over the number in force, or under a paused one. At the end all work is drained.
 */
final class LimitRun {

  private static final List<Limit> LIMITS =
      List.of(
          Limit.of("a", 1),
          Limit.of("b", 2),
          Limit.of("c", 3),
          Limit.of("d", 7),
          Limit.of("e", 60));
  private static final int HEAVIEST = 3;
  private static final TaskFilter EVERYTHING = TaskFilter.ALL.most(10_000);

  private final StoreFixture fixture;
  private final Store store;
  private final long seed;
  private final Random random;
  private final Map<TaskId, Lane> submitted = new LinkedHashMap<>();
  private final List<Holder> holders = new ArrayList<>();
  private final Map<LimitKey, Integer> numbers = new HashMap<>();
  private final Set<LimitKey> paused = new HashSet<>();

  /** Until when each standby may start, by the clock of this process. */
  private final Map<Lease, Long> startBy = new HashMap<>();

  LimitRun(StoreFixture fixture, long seed) {
    this.fixture = fixture;
    this.store = fixture.store();
    this.seed = seed;
    this.random = new Random(seed);
    LIMITS.forEach(limit -> numbers.put(limit.key(), limit.slots()));
  }

  void run(int steps) {
    for (int step = 1; step <= steps; step++) {
      String call = "nothing";
      try {
        call = call();
        checkSlots();
      } catch (AssertionError | RuntimeException e) {
        throw Seeds.failed(seed, "step " + step + ", after " + call, e);
      }
    }
    try {
      drain();
      checkSlots();
      checkEnd();
    } catch (AssertionError | RuntimeException e) {
      throw Seeds.failed(seed, "at the end", e);
    }
  }

  private String call() {
    int dice = random.nextInt(100);
    if (dice < 25) {
      return submit();
    } else if (dice < 65) {
      return exchange();
    } else if (dice < 70) {
      return open();
    } else if (dice < 73) {
      return leave();
    } else if (dice < 82) {
      // slots stay with a session for a part of a second: often less than that passes
      boolean little = random.nextBoolean();
      Duration time =
          little
              ? Duration.ofMillis(random.nextInt(150))
              : Duration.ofSeconds(1 + random.nextInt(20));
      fixture.advance(time);
      startBy.replaceAll((standby, until) -> until - time.toNanos());
      return "advance";
    } else if (dice < 86) {
      store.sweep();
      return "sweep";
    } else if (dice < 88) {
      holders.forEach(holder -> holder.claimer.heartbeat());
      return "heartbeats";
    } else if (dice < 91) {
      return onTask();
    }
    return onLimit();
  }

  private String submit() {
    List<Draft> batch = new ArrayList<>();
    for (int i = 0; i <= random.nextInt(4); i++) {
      Draft draft = Draft.task().priority(random.nextInt(3));
      for (Limit limit : LIMITS) {
        if (random.nextInt(3) == 0) {
          boolean heavy = limit.slots() >= HEAVIEST && random.nextInt(3) == 0;
          draft = draft.under(limit, heavy ? HEAVIEST : 1);
        }
      }
      batch.add(random.nextInt(5) == 0 ? draft.delay(Duration.ofSeconds(20)) : draft);
    }
    store.submit(batch.stream().map(Draft::submission).toList());
    batch.forEach(draft -> submitted.put(draft.id(), draft.submission().lane()));
    return "submit";
  }

  private String open() {
    Claimer claimer = Claimer.open(store, "worker", Draft.TYPE);
    holders.add(new Holder(claimer, new ArrayList<>(), new ArrayList<>()));
    return "open " + claimer.id();
  }

  private String exchange() {
    if (holders.isEmpty()) {
      return open();
    }
    Holder holder = holders.get(random.nextInt(holders.size()));
    List<Ended> ended = new ArrayList<>();
    for (Claim claim : List.copyOf(holder.running)) {
      if (random.nextInt(3) == 0) {
        end(holder, claim, ended);
      }
    }
    for (Claim claim : List.copyOf(holder.standbys)) {
      if (random.nextInt(4) == 0) {
        holder.standbys.remove(claim);
        ended.add(new Ended(claim.lease(), new Outcome.Released()));
      }
    }
    var ahead =
        new ExchangeRequest.Ahead(Map.of(Draft.TYPE, random.nextInt(4)), random.nextInt(12));
    long asked = System.nanoTime();
    switch (holder.claimer.exchange(ended, random.nextInt(8), ahead)) {
      case Exchanged.SessionLost lost -> holders.remove(holder);
      case Exchanged.Done done -> {
        if (random.nextInt(4) == 0) {
          assertThat(repeated(holder.claimer, done)).isEqualTo(done.claims());
        }
        List<Claim> started = done.claims().stream().filter(claim -> !claim.standby()).toList();
        holder.running.addAll(started);
        for (Claim claim : done.claims()) {
          if (claim.standby()) {
            holder.standbys.add(claim);
            startBy.put(claim.lease(), asked + Claim.STANDBY_STARTS_WITHIN.toNanos());
          }
        }
        checkStarts(started);
      }
    }
    return "exchange of " + holder.claimer.id();
  }

  /** Ends a task, and now and then lets standbys of its lane go on in its slots. */
  private void end(Holder holder, Claim claim, List<Ended> ended) {
    holder.running.remove(claim);
    Claim last = claim;
    List<Claim> before = new ArrayList<>();
    boolean runs = false;
    while (!runs && random.nextBoolean()) {
      String lane = last.lane();
      Claim next =
          holder.standbys.stream()
              .filter(each -> each.lane() != null && each.lane().equals(lane))
              .filter(this::mayStart)
              .findFirst()
              .orElse(null);
      if (next == null) {
        break;
      }
      holder.standbys.remove(next);
      before.add(last);
      last = next;
      runs = random.nextBoolean();
    }
    if (runs) {
      holder.running.add(last);
    } else {
      ended.add(new Ended(last.lease(), outcome(), ZERO, null, null, random.nextInt(3)));
    }
    Ended.Heir heir = runs ? new Ended.Heir(last.lease(), ZERO) : null;
    before.forEach(
        each -> ended.add(new Ended(each.lease(), outcome(), ZERO, ZERO, heir, random.nextInt(3))));
  }

  private boolean mayStart(Claim standby) {
    Long until = startBy.get(standby.lease());
    return until != null && until - System.nanoTime() > 0;
  }

  /** An exchange that did nothing may leave no trace, and a clock that runs may end a session. */
  private static List<Claim> repeated(Claimer claimer, Exchanged.Done done) {
    return !done.claims().isEmpty() && claimer.repeat() instanceof Exchanged.Done again
        ? again.claims()
        : done.claims();
  }

  private String leave() {
    if (holders.isEmpty()) {
      return open();
    }
    Holder holder = holders.remove(random.nextInt(holders.size()));
    holder.claimer.leave();
    return "leave of " + holder.claimer.id();
  }

  private String onTask() {
    if (submitted.isEmpty()) {
      return submit();
    }
    TaskId task = new ArrayList<>(submitted.keySet()).get(random.nextInt(submitted.size()));
    Command command =
        random.nextBoolean() ? new Command.Cancel(task, "not wanted") : new Command.RetryTask(task);
    store.apply(command);
    return command.toString();
  }

  private String onLimit() {
    Limit limit = LIMITS.get(random.nextInt(LIMITS.size()));
    LimitKey key = limit.key();
    Command command =
        switch (random.nextInt(6)) {
          case 0 -> new Command.PauseLimit(key);
          case 1, 2 -> new Command.ResumeLimit(key);
          case 3 -> new Command.ResetLimit(key);
          default -> new Command.SetLimit(key, random.nextInt(limit.slots() + 3));
        };
    store.apply(command);
    startBy.clear(); // a command on a limit returns when none of them may start any more
    switch (command) {
      case Command.PauseLimit pause -> paused.add(key);
      case Command.ResumeLimit resume -> paused.remove(key);
      case Command.SetLimit set -> numbers.put(key, set.slots());
      default -> numbers.put(key, limit.slots());
    }
    return command.toString();
  }

  private Outcome outcome() {
    return switch (random.nextInt(6)) {
      case 0 -> new Outcome.Retrying("busy", Duration.ofSeconds(random.nextInt(30)));
      case 1 -> new Outcome.Failed("broken");
      case 2 -> new Outcome.Released();
      case 3 -> new Outcome.Cancelled("not wanted");
      default -> new Outcome.Finished("{}");
    };
  }

  private Lane lane(TaskId task) {
    return Objects.requireNonNull(submitted.get(task), () -> "the lane of " + task);
  }

  /** After the last start of an exchange every limit of what started is within its number. */
  private void checkStarts(List<Claim> claims) {
    Map<LimitKey, Integer> used = used();
    for (Claim claim : claims) {
      for (Need need : lane(claim.lease().task()).needs()) {
        LimitKey key = need.key();
        assertThat(paused).as("started under paused limits").doesNotContain(key);
        assertThat(used.get(key)).as("used of %s", key).isLessThanOrEqualTo(numbers.get(key));
      }
    }
  }

  /** What the store says is in use is what the running tasks take. */
  private void checkSlots() {
    Map<LimitKey, Integer> running = new HashMap<>();
    Set<TaskId> limited = new HashSet<>();
    for (TaskView task : store.reader().list(EVERYTHING)) {
      if (task.state() == TaskState.RUNNING) {
        Lane lane = lane(task.id());
        lane.needs().forEach(need -> running.merge(need.key(), need.weight(), Integer::sum));
        if (!lane.open()) {
          limited.add(task.id());
        }
      }
    }
    assertThat(used()).isEqualTo(running);
    assertThat(store.reader().drift()).isEmpty();
    Set<TaskId> listed = new HashSet<>();
    for (LimitView limit : store.reader().limits()) {
      limit.holders().forEach(holder -> listed.add(Objects.requireNonNull(holder.task())));
      assertThat(limit.holders().stream().mapToInt(LimitView.Holder::weight).sum())
          .isEqualTo(limit.used());
    }
    assertThat(listed).isEqualTo(limited);
  }

  private Map<LimitKey, Integer> used() {
    Map<LimitKey, Integer> used = new HashMap<>();
    for (LimitView limit : store.reader().limits()) {
      if (limit.used() > 0) {
        used.put(limit.key(), limit.used());
      }
    }
    return used;
  }

  /** Lets the old sessions die, opens all limits and finishes everything that is left. */
  private void drain() {
    for (Limit limit : LIMITS) {
      store.apply(new Command.ResumeLimit(limit.key()));
      store.apply(new Command.ResetLimit(limit.key()));
      numbers.put(limit.key(), limit.slots());
    }
    paused.clear();
    fixture.advance(Duration.ofMinutes(10));
    store.sweep();
    Claimer claimer = Claimer.open(store, "drain", Draft.TYPE);
    int inVain = 0;
    while (inVain < 30) {
      List<Claim> claims = claimer.claim(100);
      checkStarts(claims);
      claimer.endAll(claims, new Outcome.Finished(null));
      inVain = claims.isEmpty() ? inVain + 1 : 0;
    }
  }

  private void checkEnd() {
    assertThat(store.reader().list(EVERYTHING))
        .hasSameSizeAs(submitted.keySet())
        .allMatch(task -> task.state().ended(), "has ended");
    assertThat(used()).isEmpty();
    assertThat(store.reader().audit(AuditFilter.ALL)).noneMatch(LimitAudit::over);
  }

  /** One session and what it has, as far as its worker can know. */
  private record Holder(Claimer claimer, List<Claim> running, List<Claim> standbys) {}
}
