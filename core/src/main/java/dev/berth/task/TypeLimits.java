package dev.berth.task;

import dev.berth.limit.Lane;
import dev.berth.limit.Limit;
import dev.berth.limit.LimitKey;
import dev.berth.limit.Need;
import dev.berth.limit.Slots;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * The limits that all tasks of a type are under, and its quotas, which are limits at submit.
 *
 * @param own how many tasks of the type may run at once
 * @param keyed how many of them for each value of something in the payload
 * @param shared limits that it has in common with other types
 */
public record TypeLimits<P>(
    OptionalInt own, List<Keyed<P>> keyed, List<Shared> shared, TypeQuotas<P> quotas) {

  /** At most so many tasks at once for each value, such as a user. */
  public record Keyed<P>(String name, Function<P, ?> value, int slots) {}

  /** A shared limit, and how many of its slots a task takes. */
  public record Shared(Limit limit, int weight) {
    public Shared {
      Slots.checkWeight(limit.name(), weight);
    }
  }

  public TypeLimits {
    keyed = List.copyOf(keyed);
    shared = List.copyOf(shared);
  }

  public static <P> TypeLimits<P> none() {
    return new TypeLimits<>(OptionalInt.empty(), List.of(), List.of(), TypeQuotas.none());
  }

  TypeLimits<P> own(String type, int slots) {
    return new TypeLimits<>(OptionalInt.of(Slots.check(type, slots)), keyed, shared, quotas);
  }

  TypeLimits<P> per(String type, Keyed<P> more) {
    Slots.check(LimitKey.ruleOf(type, more.name()).value(), more.slots());
    if (keyed.stream().anyMatch(known -> known.name().equals(more.name()))) {
      throw new IllegalArgumentException(
          "The type " + type + " already has a limit per " + more.name());
    }
    List<Keyed<P>> all = new ArrayList<>(keyed);
    all.add(more);
    return new TypeLimits<>(own, all, shared, quotas);
  }

  TypeLimits<P> under(String type, Shared more) {
    if (shared.stream().anyMatch(known -> known.limit().key().equals(more.limit().key()))) {
      throw new IllegalArgumentException(
          "The type " + type + " is already under the limit " + more.limit().name());
    }
    List<Shared> all = new ArrayList<>(shared);
    all.add(more);
    return new TypeLimits<>(own, keyed, all, quotas);
  }

  TypeLimits<P> with(TypeQuotas<P> changed) {
    return new TypeLimits<>(own, keyed, shared, changed);
  }

  /** The lane of one task of the type, with what its submit adds. */
  public Lane lane(String type, P payload, List<Shared> added) {
    List<Need> needs = new ArrayList<>();
    own.ifPresent(slots -> needs.add(new Need(LimitKey.ofType(type), 1, slots)));
    for (Keyed<P> limit : keyed) {
      String value = KeyValues.of(type, "limit", limit.name(), limit.value(), payload);
      LimitKey key = LimitKey.ofTypePer(type, limit.name(), value);
      needs.add(new Need(key, 1, limit.slots()));
    }
    Stream.concat(shared.stream(), added.stream())
        .map(use -> Need.of(use.limit(), use.weight()))
        .forEach(needs::add);
    return needs.isEmpty() ? Lane.OPEN : new Lane(needs);
  }

  /** What the code says of each limit's number; keyed ones by their rule. */
  public List<LimitRule> rules(String type) {
    List<LimitRule> rules = new ArrayList<>();
    own.ifPresent(slots -> rules.add(new LimitRule(LimitKey.ofType(type), slots)));
    keyed.forEach(
        limit -> rules.add(new LimitRule(LimitKey.ruleOf(type, limit.name()), limit.slots())));
    for (Shared use : shared) {
      Limit limit = use.limit();
      rules.add(new LimitRule(limit.key(), limit.slots(), use.weight(), limit.pace()));
    }
    return rules;
  }
}
