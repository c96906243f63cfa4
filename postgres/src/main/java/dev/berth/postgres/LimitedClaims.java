package dev.berth.postgres;

import dev.berth.store.Claim;
import dev.berth.store.Ended;
import dev.berth.task.Outcome;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What a session has claimed under limits: what of it still runs, and how far it has come in each
 * lane. Both save the server from reading dead index entries, of which there is one for each claim
 * while any transaction holds vacuum back.
 *
 * <p>A floor is where the last claim from a lane ended, or where its tasks began at the last look.
 * What appears behind it is found by a scan of the whole queue, see {@link ScanPlan}. Floors are
 * told where dead entries are many: a look says so.
 */
final class LimitedClaims {

  /** From so many claims on a floor saves more than it costs. */
  static final int LONG_LANE = 64;

  /** Of so many lanes the floors are told. */
  static final int LANES = 128;

  /** Where lanes are short most of those that are kept are of no use. */
  private static final int KEPT = 8 * LANES;

  /** More leases are not told one by one. */
  static final int LEASES = 256;

  /** How far the session has come in one lane, in microseconds. */
  record Floor(String line, long micros) {}

  private record Place(String queue, String line, long micros) {}

  private static final class Lane {

    private final String queue;
    private boolean isLong;
    private long claims;
    private long floor;

    Lane(String queue) {
      this.queue = queue;
    }
  }

  private final TreeMap<Long, Place> running = new TreeMap<>();

  /** By the names that {@code berth.line_of} gives them, the one used longest ago first. */
  private final Map<String, Lane> lanes = new LinkedHashMap<>(KEPT, 0.75f, true);

  /** Queues in which looks read many dead entries. */
  private final Set<String> strewn = new HashSet<>();

  private long newest;

  /** An exchange was answered: these were handed in, and then those claimed. */
  synchronized void answered(Collection<Ended> ended, Collection<Exchanges.Placed> claims) {
    ended.forEach(this::ended);
    Map<String, Long> reached = new HashMap<>();
    for (Exchanges.Placed placed : claims) {
      Claim claim = placed.claim();
      newest = Math.max(newest, claim.lease().token());
      if (claim.lane() != null) {
        Place place = new Place(claim.queue(), line(claim), micros(placed.position()));
        running.put(claim.lease().token(), place);
        Lane lane = lane(place.queue(), place.line());
        lane.claims++;
        lane.isLong |= lane.claims >= LONG_LANE;
        reached.merge(place.line(), place.micros(), Math::max);
      }
    }
    reached.forEach((line, micros) -> {
      Lane lane = lanes.get(line);
      if (lane != null) {
        lane.floor = micros;
      }
    });
  }

  /** What was released goes back to its place, if it never ran. */
  private void ended(Ended ended) {
    Place place = running.remove(ended.lease().token());
    if (place != null && ended.outcome() instanceof Outcome.Released) {
      Lane lane = lanes.get(place.line());
      if (lane != null) {
        lane.floor = Math.min(lane.floor, place.micros());
      }
    }
  }

  /**
   * The lanes of a queue were looked at.
   *
   * @param microsByLine where the tasks of long lanes begin; null: few dead entries were in the way
   */
  synchronized void seen(String queue, @Nullable Map<String, String> microsByLine) {
    if (microsByLine == null) {
      strewn.remove(queue);
      return;
    }
    strewn.add(queue);
    microsByLine.forEach((line, micros) -> {
      Lane lane = lane(queue, line);
      lane.isLong = true;
      lane.floor = Long.parseLong(micros);
    });
  }

  /** Nobody knows what came of the last exchange. */
  synchronized void failed() {
    lanes.clear();
  }

  /** How far it has come in long lanes of those of these queues in which that is of use. */
  synchronized List<Floor> floors(Collection<String> queues) {
    List<Floor> floors = new ArrayList<>();
    lanes.forEach((line, lane) -> {
      if (lane.isLong && strewn.contains(lane.queue) && queues.contains(lane.queue)) {
        floors.add(new Floor(line, lane.floor));
      }
    });
    return floors.subList(Math.max(0, floors.size() - LANES), floors.size());
  }

  /** The leases that it runs, but for those younger than the last of these. */
  synchronized List<Long> leases() {
    List<Long> oldest = new ArrayList<>(running.keySet().stream().limit(LEASES).toList());
    if (oldest.size() < LEASES) {
      oldest.add(newest);
    }
    return oldest;
  }

  private Lane lane(String queue, String line) {
    Lane lane = lanes.computeIfAbsent(line, any -> new Lane(queue));
    if (lanes.size() > KEPT) {
      lanes.remove(lanes.keySet().iterator().next());
    }
    return lane;
  }

  private static String line(Claim claim) {
    return String.join(
        "\n", claim.queue(), Integer.toString(claim.priority()), claim.type(), claim.lane());
  }

  private static long micros(Instant position) {
    return ChronoUnit.MICROS.between(Instant.EPOCH, position);
  }
}
