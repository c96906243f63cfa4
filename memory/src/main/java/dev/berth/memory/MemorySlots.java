package dev.berth.memory;

import dev.berth.limit.LimitKey;
import dev.berth.limit.Need;
import dev.berth.view.Drift;
import dev.berth.view.LimitView;
import dev.berth.view.LimitView.Holder;
import dev.berth.view.Obstacle;
import dev.berth.view.Obstacle.NoRoom;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Who holds the slots of each limit: the running tasks that are under it and the holds, also while
 * it has fewer slots than that, or does not limit. Guarded by the lock of the store.
 */
final class MemorySlots {

  private final MemoryLimits limits;
  private final ReadyTasks ready;
  private final Map<LimitKey, Map<SlotHolder, Integer>> holders = new HashMap<>();
  private final Map<LimitKey, Integer> used = new HashMap<>();

  /** When the next task may start under a paced limit. */
  private final Map<LimitKey, Instant> nextStart = new HashMap<>();

  /** The limits under which more may start since the call began. */
  private final Set<LimitKey> freed = new TreeSet<>();

  MemorySlots(MemoryLimits limits, ReadyTasks ready) {
    this.limits = limits;
    this.ready = ready;
  }

  boolean admits(Need need, Instant now) {
    OptionalInt slots = limits.slots(need.key());
    return !limits.paused(need.key())
        && paced(need.key(), now).isEmpty()
        && (slots.isEmpty() || used(need.key()) + need.weight() <= slots.getAsInt());
  }

  /** Whether there would be room if nobody else held slots. */
  boolean couldAdmit(Need need) {
    OptionalInt slots = limits.slots(need.key());
    return !limits.paused(need.key()) && slots.isPresent() && need.weight() <= slots.getAsInt();
  }

  /** When the next task may start, if pace is in the way of one now. */
  private Optional<Instant> paced(LimitKey key, Instant now) {
    return limits
        .pace(key)
        .flatMap(pace -> Optional.ofNullable(nextStart.get(key)))
        .filter(next -> next.isAfter(now));
  }

  /** When a ready task may start that only has to wait for its pace. */
  Optional<Instant> nextStart(Instant now) {
    return ready.keys().stream()
        .flatMap(key -> paced(key, now).stream())
        .min(Comparator.naturalOrder());
  }

  /** What is in the way of a task that needs this. */
  List<Obstacle> obstacles(Need need, Instant now) {
    LimitKey key = need.key();
    List<Obstacle> obstacles = new ArrayList<>();
    if (limits.paused(key)) {
      obstacles.add(new Obstacle.LimitPaused(key));
    }
    paced(key, now).ifPresent(next -> obstacles.add(new Obstacle.Paced(key, next)));
    limits
        .slots(key)
        .ifPresent(slots -> {
          if (used(key) + need.weight() > slots) {
            List<Holder> first = holders(key).stream().limit(NoRoom.MOST_HOLDERS).toList();
            obstacles.add(new NoRoom(key, slots, used(key), need.weight(), first));
          }
        });
    return obstacles;
  }

  /** The numbers in force of the limits that a task is under. */
  Map<LimitKey, OptionalInt> numbers(MemoryTask task) {
    Map<LimitKey, OptionalInt> numbers = new HashMap<>();
    task.needs().forEach(need -> numbers.put(need.key(), limits.slots(need.key())));
    return numbers;
  }

  /** The counters that are not the sum of what the holders have. */
  List<Drift> drift() {
    Set<LimitKey> keys = new TreeSet<>(used.keySet());
    keys.addAll(holders.keySet());
    return keys.stream()
        .filter(key -> used(key) != held(key))
        .map(key -> new Drift(key, Drift.Counter.USED, SlotHolder.NO_GROUP, used(key), held(key)))
        .toList();
  }

  /** Counts anew; whether that changed anything. */
  boolean recount(LimitKey key) {
    int held = held(key);
    return held == 0 ? used.remove(key) != null : !Objects.equals(used.put(key, held), held);
  }

  void take(SlotHolder holder, Instant now) {
    for (Need need : holder.needs()) {
      limits.pace(need.key()).ifPresent(pace -> nextStart.put(need.key(), now.plus(pace)));
      holders.computeIfAbsent(need.key(), key -> new LinkedHashMap<>()).put(holder, need.weight());
      used.merge(need.key(), need.weight(), Integer::sum);
    }
  }

  /** A running task is under this limit too from now on, whether or not there is room. */
  void charge(MemoryTask task, Need need) {
    holders.computeIfAbsent(need.key(), key -> new LinkedHashMap<>()).put(task, need.weight());
    used.merge(need.key(), need.weight(), Integer::sum);
  }

  void giveBack(SlotHolder holder) {
    for (Need need : holder.needs()) {
      LimitKey key = need.key();
      holders.computeIfPresent(
          key,
          (same, all) -> {
            all.remove(holder);
            return all.isEmpty() ? null : all;
          });
      used.computeIfPresent(
          key, (same, count) -> count == need.weight() ? null : count - need.weight());
      freed.add(key);
    }
  }

  /** Who holds slots of this limit under this token. */
  @Nullable SlotHolder holder(LimitKey key, long token) {
    return holders.getOrDefault(key, Map.of()).keySet().stream()
        .filter(holder -> holder.token() == token)
        .findFirst()
        .orElse(null);
  }

  /** The number of a limit, or of the limits under a rule, has changed. */
  void changed(LimitKey ruleOrKey) {
    freed.addAll(ready.under(ruleOrKey));
    freed.add(ruleOrKey);
  }

  /** The limits of which somebody holds slots. */
  Set<LimitKey> held() {
    return Collections.unmodifiableSet(used.keySet());
  }

  /** The limits under which more may start since the call began. */
  Set<LimitKey> freed() {
    return Collections.unmodifiableSet(freed);
  }

  /** The queues where tasks wait that may start since the call began. */
  Set<String> collectQueues() {
    Set<String> queues = new TreeSet<>();
    for (LimitKey key : freed) {
      if (admits(new Need(key, 1, 0), Instant.MAX)) {
        queues.addAll(ready.queues(key));
      }
    }
    freed.clear();
    return queues;
  }

  /** Each limit that is in use or whose number was said. */
  List<LimitView> views() {
    Set<LimitKey> keys = limits.said();
    keys.addAll(holders.keySet());
    keys.addAll(ready.keys());
    List<LimitView> views = new ArrayList<>();
    for (LimitKey key : keys) {
      limits.slots(key).ifPresent(slots -> views.add(view(key, slots)));
    }
    return views;
  }

  private LimitView view(LimitKey key, int slots) {
    Set<LimitKey> keys = new TreeSet<>(Set.of(key));
    if (key.isRule()) { // a rule shows the sum of its keys
      Stream.concat(holders.keySet().stream(), ready.keys().stream())
          .filter(one -> one.rule().equals(key))
          .forEach(keys::add);
    }
    return new LimitView(
        key,
        slots,
        keys.stream().mapToInt(this::used).sum(),
        keys.stream().mapToLong(ready::waiting).sum(),
        limits.paused(key),
        limits.source(key),
        keys.stream().flatMap(one -> holders(one).stream()).toList());
  }

  private List<Holder> holders(LimitKey key) {
    List<Holder> list = new ArrayList<>();
    holders.getOrDefault(key, Map.of()).forEach((one, weight) -> list.add(one.holder(weight)));
    return list;
  }

  private int held(LimitKey key) {
    return holders.getOrDefault(key, Map.of()).values().stream().mapToInt(Integer::intValue).sum();
  }

  private int used(LimitKey key) {
    return used.getOrDefault(key, 0);
  }
}
