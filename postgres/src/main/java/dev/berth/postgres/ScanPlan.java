package dev.berth.postgres;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Where a session's next claim looks. Dead index entries pile up at the head of the claim index
 * while any transaction holds vacuum back, and a scan from the head reads them all; so each scan
 * starts where the last one ended, at a floor per queue and priority. What appears behind a floor
 * (a late commit, a returned task) is found by a hint that lowers it, or by the next scan of the
 * whole queue, which also learns which priorities are in use and whether tasks of foreign types are
 * in the way. Whole scans are frequent while they are cheap and never take more than a twentieth of
 * the time.
 *
 * <p>Pure: time is passed in. Hints come from another thread, hence the lock.
 */
final class ScanPlan {

  /** While there is work, a queue is scanned as a whole this often. */
  private static final long SCAN_EVERY_NANOS = 250_000_000;

  /** A scan is followed by at least this many times its own duration without one. */
  private static final long REST = 20;

  /** How a line is read; the names are those of {@code berth.exchange}. */
  enum Mode {
    /** The whole queue, from the head of each priority. */
    SCAN,
    /** One priority, from its floor, in order. */
    PLAIN,
    /** One priority, from its floor, type by type, past tasks of foreign types. */
    HOP,
    /** Work under limits, lane by lane. */
    LANES,
    /** The same, but only if the exchange gives slots back: it was all blocked at the last look. */
    FREED
  }

  /**
   * One step of a claim.
   *
   * @param priority null for a scan
   * @param floor the position to start from; null from the head
   * @param cursor the lane after which to begin; null at the first
   */
  record Line(
      String queue,
      @Nullable Integer priority,
      @Nullable Instant floor,
      Mode mode,
      @Nullable String cursor) {

    Line(String queue, @Nullable Integer priority, @Nullable Instant floor, Mode mode) {
      this(queue, priority, floor, mode, null);
    }
  }

  private record Level(@Nullable Instant floor, boolean foreign) {

    Level lowered(Instant position) {
      return floor == null || !floor.isAfter(position) ? this : new Level(position, foreign);
    }
  }

  private static final class Queue {

    /** Priorities that were ever seen; an empty one costs a probe, nothing more. */
    private final Map<Integer, Level> levels = new TreeMap<>(Comparator.reverseOrder());

    /** The lowest position announced while a claim was under way, which may have passed it. */
    private final Map<Integer, Instant> announced = new HashMap<>();

    private boolean scanDue = true;

    /** Whether a scan was put off, so that work which was announced need not wait for it. */
    private boolean putOff;

    /** Whether work under limits was ever seen here. */
    private boolean limited;

    /** Whether some of it may be free to start, */
    private boolean lanes;

    /** or was announced to be while a claim was under way, which may have passed it. */
    private boolean lanesAnnounced;

    private @Nullable String cursor;
    private boolean dry = true;

    /** Whether the last scan saw every priority; one that found enough stops early. */
    private boolean complete;

    private long scannedAt;
    private long scanCost;

    /** Where work was announced is looked first; the scan comes with the claim after that. */
    boolean scansNow(boolean look, long nanos) {
      boolean wanted = wantsScan(look, nanos);
      putOff = wanted && look && !scanDue && !putOff && !announced.isEmpty();
      return wanted && !putOff;
    }

    private boolean wantsScan(boolean look, long nanos) {
      long since = nanos - scannedAt;
      return scanDue
          || (levels.isEmpty() && !limited)
          || (dry && !complete)
          || (since >= scanCost * REST
              && (dry || (look && levels.isEmpty()) || since >= SCAN_EVERY_NANOS));
    }
  }

  private final Map<String, Queue> queues = new HashMap<>();

  /**
   * The lines of the next claim, in the order of the queues.
   *
   * @param look whether nothing is handed in: the worker asks because there may be work
   */
  synchronized List<Line> lines(List<String> wanted, boolean look, long nanos) {
    List<Line> lines = new ArrayList<>();
    for (String name : wanted) {
      Queue queue = queue(name);
      boolean scan = queue.scansNow(look, nanos);
      queue.announced.clear();
      if (scan || queue.limited || queue.lanes) {
        Mode mode = scan || look || queue.lanes ? Mode.LANES : Mode.FREED;
        lines.add(new Line(name, null, null, mode, queue.cursor));
        queue.lanesAnnounced = false;
      }
      if (scan) {
        queue.scanDue = false;
        lines.add(new Line(name, null, null, Mode.SCAN));
      } else {
        queue.levels.forEach((priority, level) -> lines.add(line(name, priority, level)));
      }
    }
    return lines;
  }

  /**
   * A whole scan of this queue was made.
   *
   * @param complete whether it saw every priority
   */
  synchronized void scanned(String name, long nanos, long took, boolean complete) {
    Queue queue = queue(name);
    queue.complete = complete;
    queue.scannedAt = nanos;
    queue.scanCost = took;
  }

  /** A line was read up to this position. */
  synchronized void read(String name, int priority, @Nullable Instant floor, boolean foreign) {
    Queue queue = queue(name);
    Level level = new Level(floor, foreign);
    Instant announced = queue.announced.get(priority);
    queue.levels.put(priority, announced == null ? level : level.lowered(announced));
  }

  /** Nobody knows what came of the last claim. */
  synchronized void failed() {
    for (Queue queue : queues.values()) {
      queue.scanDue = true;
      queue.cursor = null; // it may be what the store could not read
    }
  }

  /**
   * Work under limits was looked at; the next claim begins after this lane.
   *
   * @param cursor null if there is none
   * @param more whether the next claim shall look again; else one that gives slots back does
   */
  synchronized void lanes(String name, @Nullable String cursor, boolean more) {
    Queue queue = queue(name);
    queue.limited = cursor != null;
    queue.lanes = more || queue.lanesAnnounced;
    queue.cursor = cursor;
  }

  /** Whether work under limits was seen here at the last look. */
  synchronized boolean hasLanes(String name) {
    Queue queue = queue(name);
    return queue.limited || queue.lanes;
  }

  /** Work under limits may be free to start at the next claim. */
  synchronized void limited(String name) {
    Queue queue = queue(name);
    queue.lanes = true;
    queue.lanesAnnounced = true;
  }

  /** Whether the claim got less than it asked for: then only a scan can find more here. */
  synchronized void dry(String name, boolean dry) {
    queue(name).dry = dry;
  }

  /** Ready work was announced. */
  synchronized void lower(Hint.Ready hint) {
    if (hint.queue().isEmpty()) {
      failed();
      return;
    }
    Queue queue = queues.get(hint.queue());
    if (queue == null || !Hint.Ready.known(hint.priority())) {
      return;
    }
    if (hint.priority() == Hint.Ready.LANES) {
      limited(hint.queue());
      return;
    }
    if (hint.priority() == Hint.Ready.ANY) {
      queue.scanDue = true;
      return;
    }
    queue.announced.merge(
        hint.priority(), hint.position(), (one, other) -> one.isBefore(other) ? one : other);
    Level known = queue.levels.get(hint.priority());
    if (known != null) {
      queue.levels.put(hint.priority(), known.lowered(hint.position()));
    } else if (queue.levels.isEmpty()) {
      queue.scanDue = true;
    } else {
      queue.levels.put(hint.priority(), new Level(hint.position(), false));
    }
  }

  private Queue queue(String name) {
    return queues.computeIfAbsent(name, any -> new Queue());
  }

  private static Line line(String name, int priority, Level level) {
    return new Line(name, priority, level.floor(), level.foreign() ? Mode.HOP : Mode.PLAIN);
  }
}
