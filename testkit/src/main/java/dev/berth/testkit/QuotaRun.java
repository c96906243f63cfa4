package dev.berth.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.limit.LimitKey;
import dev.berth.limit.Quota;
import dev.berth.limit.WhenFull;
import dev.berth.store.Claim;
import dev.berth.store.Command;
import dev.berth.store.Ended;
import dev.berth.store.Exchanged;
import dev.berth.store.Lease;
import dev.berth.store.Store;
import dev.berth.store.Submission;
import dev.berth.store.Submitted;
import dev.berth.task.Outcome;
import dev.berth.task.TaskId;
import dev.berth.view.QuotaView;
import dev.berth.view.TaskFilter;
import dev.berth.view.TaskView;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;

/**
 * Random calls from one seed with tasks under random quotas, and what must be true after each: what
 * the store counts are exactly the live tasks, and nobody was admitted over the number of its
 * submit. At the end all work is drained, and nothing is counted any more.
 */
final class QuotaRun {

  private static final List<LimitKey> KEYS =
      List.of(
          LimitKey.ofType(Draft.TYPE),
          LimitKey.ofTypePer(Draft.TYPE, "user", "ada"),
          LimitKey.ofTypePer(Draft.TYPE, "user", "bob"),
          LimitKey.shared("disk"));
  private static final int MOST = 6;
  private static final TaskFilter EVERYTHING = TaskFilter.ALL.most(10_000);

  private final StoreFixture fixture;
  private final Store store;
  private final long seed;
  private final Random random;
  private final Map<TaskId, Submission> submitted = new LinkedHashMap<>();
  private final List<Holder> holders = new ArrayList<>();

  QuotaRun(StoreFixture fixture, long seed) {
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
        checkCounts();
      } catch (AssertionError | RuntimeException e) {
        throw Seeds.failed(seed, "step " + step + ", after " + call, e);
      }
    }
    try {
      drain();
      checkCounts();
      assertThat(store.reader().quotas()).isEmpty();
    } catch (AssertionError | RuntimeException e) {
      throw Seeds.failed(seed, "at the end", e);
    }
  }

  private String call() {
    int dice = random.nextInt(100);
    if (dice < 35) {
      return submit();
    } else if (dice < 70) {
      return exchange();
    } else if (dice < 75) {
      return open();
    } else if (dice < 78) {
      return leave();
    } else if (dice < 85) {
      fixture.advance(Duration.ofSeconds(1 + random.nextInt(20)));
      return "advance";
    } else if (dice < 91) {
      store.sweep();
      return "sweep";
    }
    return onTask();
  }

  private String submit() {
    List<Draft> batch = new ArrayList<>();
    for (int i = 0; i <= random.nextInt(4); i++) {
      Draft draft = Draft.task();
      for (LimitKey key : KEYS) {
        if (random.nextInt(2) == 0) {
          draft = draft.quota(key, random.nextInt(MOST + 1), whenFull());
        }
      }
      draft = random.nextInt(6) == 0 ? draft.ownId(anyTask()) : draft;
      batch.add(random.nextInt(5) == 0 ? draft.delay(Duration.ofSeconds(20)) : draft);
    }
    List<Submitted> answers = store.submit(batch.stream().map(Draft::submission).toList());
    for (int i = 0; i < batch.size(); i++) {
      Submission submission = batch.get(i).submission();
      switch (answers.get(i)) {
        case Submitted.Accepted accepted -> submitted.put(accepted.id(), submission);
        case Submitted.Existing existing -> assertThat(submitted).containsKey(existing.id());
        case Submitted.QuotaFull full ->
            assertThat(submission.quotas())
                .anyMatch(quota -> quota.key().value().equals(full.key()));
      }
    }
    if (answers.getLast() instanceof Submitted.Accepted last) {
      checkAdmitted(Objects.requireNonNull(submitted.get(last.id())));
    }
    return "submit of " + answers;
  }

  private WhenFull whenFull() {
    WhenFull[] all = WhenFull.values();
    return all[random.nextInt(all.length)];
  }

  private TaskId anyTask() {
    return submitted.isEmpty()
        ? TaskId.next()
        : List.copyOf(submitted.keySet()).get(random.nextInt(submitted.size()));
  }

  private String open() {
    Claimer claimer = Claimer.open(store, "worker", Draft.TYPE);
    holders.add(new Holder(claimer, new ArrayList<>()));
    return "open " + claimer.id();
  }

  private String exchange() {
    if (holders.isEmpty()) {
      return open();
    }
    Holder holder = holders.get(random.nextInt(holders.size()));
    List<Ended> ended = new ArrayList<>();
    for (Lease lease : holder.held) {
      if (random.nextInt(3) == 0) {
        ended.add(new Ended(lease, outcome()));
      }
    }
    switch (holder.claimer.exchange(ended, random.nextInt(5))) {
      case Exchanged.SessionLost lost -> holders.remove(holder);
      case Exchanged.Done done -> {
        ended.forEach(end -> holder.held.remove(end.lease()));
        done.claims().forEach(claim -> holder.held.add(claim.lease()));
      }
    }
    return "exchange of " + holder.claimer.id() + " with " + ended;
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

  private String leave() {
    if (holders.isEmpty()) {
      return open();
    }
    Holder holder = holders.remove(random.nextInt(holders.size()));
    holder.claimer.leave();
    return "leave of " + holder.claimer.id();
  }

  private String onTask() {
    Command command =
        random.nextBoolean()
            ? new Command.Cancel(anyTask(), "not wanted")
            : new Command.RetryTask(anyTask());
    return command + " was " + store.apply(command);
  }

  /** The last of a batch has the last word: after it no quota of it is over its number. */
  private void checkAdmitted(Submission last) {
    Map<LimitKey, Integer> counted = counted();
    for (Quota quota : last.quotas()) {
      assertThat(counted.getOrDefault(quota.key(), 0))
          .as("counted under %s", quota.key())
          .isBetween(1, quota.most());
    }
  }

  private void checkCounts() {
    Map<LimitKey, Integer> live = new HashMap<>();
    List<TaskView> all = store.reader().list(EVERYTHING);
    assertThat(all)
        .extracting(TaskView::id)
        .containsExactlyInAnyOrderElementsOf(submitted.keySet());
    for (TaskView task : all) {
      if (!task.state().ended()) {
        Objects.requireNonNull(submitted.get(task.id()))
            .quotas()
            .forEach(quota -> live.merge(quota.key(), 1, Integer::sum));
      }
    }
    assertThat(counted()).isEqualTo(live);
  }

  private Map<LimitKey, Integer> counted() {
    Map<LimitKey, Integer> counted = new HashMap<>();
    for (QuotaView quota : store.reader().quotas()) {
      counted.put(quota.key(), quota.count());
    }
    return counted;
  }

  /** Lets the old sessions die and finishes everything that is left. */
  private void drain() {
    fixture.advance(Duration.ofMinutes(10));
    store.sweep();
    Claimer claimer = Claimer.open(store, "drain", Draft.TYPE);
    for (List<Claim> claims = claimer.claim(100); !claims.isEmpty(); claims = claimer.claim(100)) {
      claimer.endAll(claims, new Outcome.Finished(null));
    }
  }

  /** One session and what it holds, as far as its worker can know. */
  private record Holder(Claimer claimer, List<Lease> held) {}
}
