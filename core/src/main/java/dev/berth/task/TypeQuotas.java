package dev.berth.task;

import dev.berth.limit.LimitKey;
import dev.berth.limit.Quota;
import dev.berth.limit.WhenFull;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/**
 * The quotas that all tasks of a type are under.
 *
 * @param own how many tasks of the type may be pending or running
 * @param keyed how many of them for each value of something in the payload
 */
public record TypeQuotas<P>(Optional<Quota> own, List<Keyed<P>> keyed) {

  /** At most so many tasks for each value, such as a database. */
  public record Keyed<P>(String name, Function<P, ?> value, int most, WhenFull whenFull) {}

  public TypeQuotas {
    keyed = List.copyOf(keyed);
  }

  public static <P> TypeQuotas<P> none() {
    return new TypeQuotas<>(Optional.empty(), List.of());
  }

  TypeQuotas<P> own(String type, int most, WhenFull whenFull) {
    return new TypeQuotas<>(Optional.of(new Quota(LimitKey.ofType(type), most, whenFull)), keyed);
  }

  TypeQuotas<P> per(String type, Keyed<P> more) {
    Quota.check(LimitKey.ruleOf(type, more.name()), more.most());
    if (keyed.stream().anyMatch(known -> known.name().equals(more.name()))) {
      throw new IllegalArgumentException(
          "The type " + type + " already has a quota per " + more.name());
    }
    List<Keyed<P>> all = new ArrayList<>(keyed);
    all.add(more);
    return new TypeQuotas<>(own, all);
  }

  /** What the code says of each quota; keyed ones by their rule. */
  public List<Quota> rules(String type) {
    List<Quota> rules = new ArrayList<>();
    own.ifPresent(rules::add);
    keyed.forEach(quota ->
        rules.add(new Quota(LimitKey.ruleOf(type, quota.name()), quota.most(), quota.whenFull())));
    return rules;
  }

  /** The quotas of one task of the type. */
  public List<Quota> of(String type, P payload) {
    List<Quota> quotas = new ArrayList<>();
    own.ifPresent(quotas::add);
    for (Keyed<P> quota : keyed) {
      String value = KeyValues.of(type, "quota", quota.name(), quota.value(), payload);
      LimitKey key = LimitKey.ofTypePer(type, quota.name(), value);
      quotas.add(new Quota(key, quota.most(), quota.whenFull()));
    }
    return quotas;
  }
}
