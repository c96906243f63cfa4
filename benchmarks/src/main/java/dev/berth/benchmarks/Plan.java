package dev.berth.benchmarks;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * How the server ran one statement, as {@code auto_explain} tells it.
 *
 * @param statement its SQL
 * @param text the plan
 * @param scans where it read tables
 * @param pages touched in all, with everything that it called
 */
record Plan(String statement, String text, List<Scan> scans, long pages) {

  private static final Pattern QUERY = Pattern.compile("^Query Text: ", Pattern.MULTILINE);
  private static final Pattern FIRST_NODE =
      Pattern.compile("^[A-Z][^\\n]*  \\(cost=", Pattern.MULTILINE);
  private static final Pattern NODE =
      Pattern.compile(
          "^ *(?:->  )?(\\S.*?)  \\(cost=.*?\\) "
              + "\\((?:actual (?:time=\\S+ )?rows=([\\d.]+) loops=(\\d+)|never executed)\\)");
  private static final Pattern READS =
      Pattern.compile(
          "(?:Seq|Index|Index Only|Bitmap Heap|Tid|Tid Range) Scan.* on (\\w+)(?: \\w+)?");
  private static final Pattern REMOVED =
      Pattern.compile("^ *Rows Removed by (?:Filter|Index Recheck): (\\d+)");
  private static final Pattern PAGES =
      Pattern.compile("Buffers: shared(?: hit=(\\d+))?(?: read=(\\d+))?");

  /**
   * A node of a plan that reads a table.
   *
   * @param node as the server writes it
   * @param rows that it read, over all its loops, with those that it read in vain
   */
  record Scan(String node, String table, double rows) {

    boolean sequential() {
      return node.contains("Seq Scan");
    }

    Scan with(double more) {
      return new Scan(node, table, rows + more);
    }
  }

  /** Reads what the server says of one statement. */
  static Plan of(String message) {
    Matcher query = QUERY.matcher(message);
    Matcher node = FIRST_NODE.matcher(message);
    if (!query.find() || !node.find(query.end())) {
      throw new IllegalArgumentException("Not a plan of auto_explain: " + message);
    }
    String text = message.substring(node.start()).stripTrailing();
    return new Plan(
        message.substring(query.end(), node.start()).strip(), text, scans(text), pages(text));
  }

  static boolean isOne(String message) {
    return QUERY.matcher(message).find();
  }

  double rows() {
    return scans.stream().mapToDouble(Scan::rows).sum();
  }

  /** The statement on one line, cut off where it gets long. */
  String shortStatement() {
    String line = statement.replaceAll("\\s+", " ");
    return line.length() <= 100 ? line : line.substring(0, 100) + "…";
  }

  private static List<Scan> scans(String text) {
    List<Scan> scans = new ArrayList<>();
    boolean reads = false;
    double loops = 0;
    for (String line : text.lines().toList()) {
      Matcher node = NODE.matcher(line);
      Matcher removed = REMOVED.matcher(line);
      if (node.find()) {
        Matcher scan = READS.matcher(node.group(1));
        reads = scan.matches();
        if (reads) {
          loops = node.group(3) == null ? 0 : Double.parseDouble(node.group(3));
          double rows = node.group(2) == null ? 0 : Double.parseDouble(node.group(2));
          scans.add(new Scan(node.group(1), scan.group(1), rows * loops));
        }
      } else if (reads && removed.find()) {
        scans.set(
            scans.size() - 1, scans.getLast().with(Double.parseDouble(removed.group(1)) * loops));
      }
    }
    return scans;
  }

  /** Of the node at the top, which counts those below it. */
  private static long pages(String text) {
    Matcher matcher = PAGES.matcher(text);
    return matcher.find() ? number(matcher.group(1)) + number(matcher.group(2)) : 0;
  }

  private static long number(@Nullable String digits) {
    return digits == null ? 0 : Long.parseLong(digits);
  }
}
