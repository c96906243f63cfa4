package dev.berth.limit;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The set of limits a task is under. Tasks of one lane are interchangeable for admission: when one
 * ends, its slots fit the next.
 *
 * @param needs from the most to the least shared, so that one full limit rules out all lanes behind
 *     it; empty for the open lane
 */
public record Lane(List<Need> needs) {

  public static final Lane OPEN = new Lane(List.of());

  private static final int MOST_BYTES = 2_600;

  public Lane {
    needs = needs.stream().sorted(Comparator.comparing(Need::key)).toList();
    if (needs.stream().map(Need::key).distinct().count() < needs.size()) {
      throw new IllegalArgumentException(
          "A task can be under a limit only once, but was given " + keys(needs));
    }
  }

  /**
   * A store finds tasks by queue, type and lane, and an entry of its index has room for so many
   * bytes. The limit of the type is counted in any case: a person may put the task under it.
   */
  public void checkBytes(String type, String queue) {
    if (open()) {
      return;
    }
    int bytes =
        Stream.of(queue, type, name(), escaped(LimitKey.ofType(type)), " ")
            .mapToInt(part -> part.getBytes(UTF_8).length)
            .sum();
    if (bytes > MOST_BYTES) {
      throw new IllegalArgumentException(
          "A task of type \"%.40s\" in queue \"%.40s\" has too long names: its queue, type and limits take %d bytes, at most %d are allowed; its limits are %.200s…"
              .formatted(type, queue, bytes, MOST_BYTES, name()));
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

  private static String name(Need need) {
    String key = escaped(need.key());
    return need.weight() == 1 ? key : key + "*" + need.weight();
  }

  /** A space ends a name and a star begins its weight, so neither stands for itself in a key. */
  private static String escaped(LimitKey key) {
    return key.value().replace(" ", "%20").replace("*", "%2A");
  }

  private static String keys(List<Need> needs) {
    return needs.stream().map(need -> need.key().value()).collect(Collectors.joining(", "));
  }
}
