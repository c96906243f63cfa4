package dev.berth.config;

import java.util.Collection;
import java.util.Comparator;
import java.util.Optional;

/** Finds what someone may have meant. */
public final class Nearest {

  private Nearest() {}

  /** The candidate with the fewest letters to change; of several, the first. */
  static String to(String word, Collection<String> candidates) {
    return candidates.stream()
        .min(Comparator.comparingInt(candidate -> distance(word, candidate)))
        .orElseThrow();
  }

  /** The candidate with the fewest letters to change, if there are no more than so many. */
  public static Optional<String> within(int letters, String word, Collection<String> candidates) {
    return candidates.isEmpty()
        ? Optional.empty()
        : Optional.of(to(word, candidates)).filter(near -> distance(word, near) <= letters);
  }

  /** The edit distance: insertions, deletions and replacements of one letter. */
  private static int distance(String from, String to) {
    int[] above = new int[to.length() + 1];
    for (int column = 0; column <= to.length(); column++) {
      above[column] = column;
    }
    for (int row = 1; row <= from.length(); row++) {
      int[] current = new int[to.length() + 1];
      current[0] = row;
      for (int column = 1; column <= to.length(); column++) {
        int replaced = above[column - 1] + (from.charAt(row - 1) == to.charAt(column - 1) ? 0 : 1);
        current[column] = Math.min(replaced, 1 + Math.min(above[column], current[column - 1]));
      }
      above = current;
    }
    return above[to.length()];
  }
}
