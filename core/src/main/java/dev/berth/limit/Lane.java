package dev.berth.limit;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;

/**
 * The set of limits a task is under. Tasks of one lane are interchangeable for admission: when one
 * ends, its slots fit the next.
 *
 * @param needs from the most to the least shared, so that one full limit rules out all lanes behind
 *     it; empty for the open lane
 */
public record Lane(List<Need> needs) {

  public static final Lane OPEN = new Lane(List.of());

  public Lane {
    needs = needs.stream().sorted(Comparator.comparing(Need::key)).toList();
    if (needs.stream().map(Need::key).distinct().count() < needs.size()) {
      throw new IllegalArgumentException(
          "A task can be under a limit only once, but was given " + keys(needs));
    }
  }

  public boolean open() {
    return needs.isEmpty();
  }

  public boolean under(LimitKey key) {
    return needs.stream().anyMatch(need -> need.key().equals(key));
  }

  /** The lane of a task that is under these limits too. */
  public Lane and(Collection<Need> more) {
    List<Need> all = new ArrayList<>(needs);
    all.addAll(more);
    return new Lane(all);
  }

  /** Equal for equal keys and weights and only for them; the numbers of slots are no part of it. */
  public String name() {
    return needs.stream().map(Lane::name).collect(Collectors.joining(" "));
  }

  /** A space ends a name and a star begins its weight, so neither stands for itself in a key. */
  private static String name(Need need) {
    String key = need.key().value().replace(" ", "%20").replace("*", "%2A");
    return need.weight() == 1 ? key : key + "*" + need.weight();
  }

  private static String keys(List<Need> needs) {
    return needs.stream().map(need -> need.key().value()).collect(Collectors.joining(", "));
  }
}
