package dev.berth.memory;

import dev.berth.limit.LimitKey;
import dev.berth.limit.Need;
import dev.berth.limit.Slots;
import dev.berth.store.Registration;
import dev.berth.store.SessionRequest.Handled;
import dev.berth.store.Submission;
import dev.berth.task.LimitRule;
import dev.berth.view.LimitView.Source;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What was said of each limit: by hand, by the code of workers, at submit; the first of these that
 * spoke counts. By hand and in code, one key or the rule of many can be meant, and the key counts
 * before its rule. Guarded by the lock of the store.
 */
final class MemoryLimits {

  /** How long a limit is remembered that nobody uses. */
  private static final Duration REMEMBERED = Duration.ofDays(7);

  private final Map<LimitKey, Integer> byHand = new HashMap<>();

  /** Until when a number by hand counts, where that was said. */
  private final Map<LimitKey, Instant> ends = new HashMap<>();

  /** The newest word of the code; empty where a type had a limit and has it no more. */
  private final Map<LimitKey, OptionalInt> byCode = new HashMap<>();

  /** The first number that a submit named. */
  private final Map<LimitKey, Integer> bySubmit = new HashMap<>();

  private final Set<LimitKey> paused = new HashSet<>();

  /** Those of {@link #byCode} that stand in a file. */
  private final Set<LimitKey> inFile = new HashSet<>();

  /** The least time between two starts: by the newest word of the code, else the first submit. */
  private final Map<LimitKey, Duration> pace = new HashMap<>();

  /** The limits that the tasks of a type are under, by the newest word of the code. */
  private final Map<String, List<Need>> ofTypes = new HashMap<>();

  /** Since when nobody is seen to use a limit. */
  private final Map<LimitKey, Instant> idleSince = new HashMap<>();

  private @Nullable LocalDate lookedOn;

  /** How many slots a limit has; empty where it does not limit. */
  OptionalInt slots(LimitKey key) {
    Integer number = number(byHand, key);
    if (number != null) {
      return OptionalInt.of(number);
    }
    OptionalInt said = number(byCode, key);
    if (said != null) {
      return said;
    }
    Integer first = bySubmit.get(key.rule());
    return first == null ? OptionalInt.empty() : OptionalInt.of(first);
  }

  Source source(LimitKey key) {
    if (number(byHand, key) != null) {
      return Source.OVERRIDE;
    }
    if (number(byCode, key) == null) {
      return Source.SUBMIT;
    }
    return inFile.contains(byCode.containsKey(key) ? key : key.rule()) ? Source.FILE : Source.CODE;
  }

  Optional<Duration> pace(LimitKey key) {
    return Optional.ofNullable(pace.get(key));
  }

  boolean paused(LimitKey key) {
    return paused.contains(key) || paused.contains(key.rule());
  }

  /** Somebody named these limits, with numbers in case nobody has said one before. */
  void named(List<Need> needs) {
    for (Need need : needs) {
      bySubmit.putIfAbsent(need.key().rule(), need.slots());
      if (need.pace() != null && !byCode.containsKey(need.key())) {
        pace.putIfAbsent(need.key(), need.pace());
      }
    }
  }

  /** The task with the limits of its type that it does not name. */
  Submission withThoseOfItsType(Submission task) {
    LimitKey own = LimitKey.ofType(task.type());
    Map<LimitKey, Need> missing = new TreeMap<>();
    if (byHand.containsKey(own) || paused.contains(own)) {
      missing.put(own, new Need(own, 1, byHand.getOrDefault(own, Slots.MOST)));
    }
    ofTypes.getOrDefault(task.type(), List.of()).forEach(need -> missing.put(need.key(), need));
    task.lane().needs().forEach(need -> missing.remove(need.key()));
    return missing.isEmpty() ? task : task.in(task.lane().and(missing.values()));
  }

  /** A person puts a type under its limit: where nobody else said a number, there is none. */
  void putUnder(LimitKey own) {
    if (!bySubmit.containsKey(own)) {
      byCode.putIfAbsent(own, OptionalInt.empty());
    }
  }

  /** Where the word of a worker's code is not what was there, before it is taken. */
  List<Registration> differing(List<Handled> types) {
    Map<LimitKey, Registration> differing = new TreeMap<>();
    for (Handled type : types) {
      for (LimitKey known : byCode.keySet()) {
        if (isOf(type.type(), known)) {
          differing.put(known, registration(known, null));
        }
      }
      type.limits()
          .forEach(rule -> differing.put(rule.key(), registration(rule.key(), rule.slots())));
    }
    return differing.values().stream()
        .filter(said -> said.before() != null || said.byHand() != null)
        .toList();
  }

  private Registration registration(LimitKey key, @Nullable Integer slots) {
    OptionalInt before = byCode.getOrDefault(key, OptionalInt.empty());
    boolean same = before.isEmpty() || Objects.equals(before.getAsInt(), slots);
    boolean gone = slots == null && before.isEmpty();
    return new Registration(
        key, slots, same ? null : (Integer) before.getAsInt(), gone ? null : byHand.get(key));
  }

  /** Takes the word of a worker's code; returns the limits, or rules, that it changed. */
  Set<LimitKey> register(List<Handled> types) {
    Set<LimitKey> changed = new TreeSet<>();
    for (Handled type : types) {
      ofTypes.put(
          type.type(),
          type.limits().stream()
              .filter(rule -> !rule.key().isRule())
              .map(rule -> new Need(rule.key(), rule.weight(), rule.slots()))
              .toList());
      Map<LimitKey, OptionalInt> said = new HashMap<>();
      for (LimitKey known : byCode.keySet()) {
        if (isOf(type.type(), known)) {
          said.put(known, OptionalInt.empty());
        }
      }
      for (LimitRule rule : type.limits()) {
        said.put(rule.key(), OptionalInt.of(rule.slots()));
        idleSince.remove(rule.key());
        pace.compute(rule.key(), (key, before) -> rule.pace());
        inFile.remove(rule.key());
        if (rule.inFile()) {
          inFile.add(rule.key());
        }
      }
      said.forEach((key, slots) -> {
        if (!slots.equals(byCode.put(key, slots))) {
          changed.add(key);
        }
      });
    }
    return changed;
  }

  boolean set(LimitKey key, int slots, @Nullable Instant end) {
    Integer before = byHand.put(key, slots);
    Instant endBefore = end == null ? ends.remove(key) : ends.put(key, end);
    return before == null || before != slots || !Objects.equals(end, endBefore);
  }

  /** The number of the code counts again, and no pace that a submit has said. */
  boolean reset(LimitKey key) {
    boolean paced = !byCode.containsKey(key) && pace.remove(key) != null;
    return resetNumber(key) || paced;
  }

  private boolean resetNumber(LimitKey key) {
    ends.remove(key);
    return byHand.remove(key) != null;
  }

  /** Takes back what was set by hand until now; returns the limits, or rules. */
  Set<LimitKey> expire(Instant now) {
    Set<LimitKey> expired = new TreeSet<>();
    ends.forEach((key, end) -> {
      if (!end.isAfter(now)) {
        expired.add(key);
      }
    });
    expired.forEach(this::resetNumber);
    return expired;
  }

  boolean pause(LimitKey key) {
    return paused.add(key);
  }

  boolean resume(LimitKey key) {
    return paused.remove(key);
  }

  /**
   * Forgets what nobody said by hand and nobody was seen to use for a week, at one look a day.
   *
   * @param named by tasks, holds and schedules
   * @param handled the types of the workers that are there
   */
  void forget(Instant now, Supplier<Set<LimitKey>> named, Set<String> handled) {
    LocalDate today = LocalDate.ofInstant(now, ZoneOffset.UTC);
    if (today.equals(lookedOn)) {
      return;
    }
    lookedOn = today;
    Set<LimitKey> used = named.get();
    used.addAll(byHand.keySet());
    used.addAll(paused);
    for (String type : handled) {
      ofTypes.getOrDefault(type, List.of()).forEach(need -> used.add(need.key()));
    }
    Set<LimitKey> known = new HashSet<>(byCode.keySet());
    known.addAll(bySubmit.keySet());
    for (LimitKey key : known) {
      if (used.contains(key) || handled.stream().anyMatch(type -> isOf(type, key))) {
        idleSince.remove(key);
      } else if (!idleSince.computeIfAbsent(key, same -> now).isAfter(now.minus(REMEMBERED))) {
        forget(key);
      }
    }
  }

  private void forget(LimitKey key) {
    idleSince.remove(key);
    byCode.remove(key);
    bySubmit.remove(key);
    pace.remove(key);
    inFile.remove(key);
    ofTypes.replaceAll(
        (type, needs) -> needs.stream().filter(need -> !need.key().equals(key)).toList());
  }

  /** The limits whose number was said for them, not for one task of many keys. */
  Set<LimitKey> said() {
    Set<LimitKey> said = new TreeSet<>(byHand.keySet());
    said.addAll(byCode.keySet());
    bySubmit.keySet().stream().filter(key -> !key.keyed()).forEach(said::add);
    return said;
  }

  /** Whether a type alone can be under this limit, so that its code decides if it exists. */
  private static boolean isOf(String type, LimitKey key) {
    LimitKey own = LimitKey.ofType(type);
    return key.equals(own) || key.value().startsWith(own.value() + "/");
  }

  private static <T> @Nullable T number(Map<LimitKey, T> said, LimitKey key) {
    T number = said.get(key);
    return number != null ? number : said.get(key.rule());
  }
}
