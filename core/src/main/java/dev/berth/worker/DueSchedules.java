package dev.berth.worker;

import dev.berth.store.Advance;
import dev.berth.store.DueSchedule;
import dev.berth.store.Store;
import dev.berth.store.StoreException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Submits what is due of schedules. All workers do, at the same moment: the store lets one of them
 * succeed, and one that dies in the middle has done nothing.
 */
final class DueSchedules {

  private static final Logger LOG = LoggerFactory.getLogger(DueSchedules.class);

  private final Store store;
  private final Consumer<Duration> dueAgain;

  /** What was logged of a schedule as it is: it comes back with every sweep. */
  private final Set<String> logged = ConcurrentHashMap.newKeySet();

  DueSchedules(Store store, Consumer<Duration> dueAgain) {
    this.store = store;
    this.dueAgain = dueAgain;
  }

  /** Says whether tasks may have been submitted. */
  boolean advance(List<DueSchedule> due) {
    List<DueSchedule> shuffled = new ArrayList<>(due);
    Collections.shuffle(shuffled); // so that many workers do not all begin with the same
    boolean submitted = false;
    for (DueSchedule schedule : shuffled) {
      submitted |= advance(schedule);
    }
    return submitted;
  }

  private boolean advance(DueSchedule due) {
    try {
      Advance advance = due.advance();
      boolean done = store.advance(advance);
      if (done && advance.error() != null) {
        LOG.error("Schedule {} does not run: {}", due.name(), advance.error());
      }
      if (advance.next() != null) {
        dueAgain.accept(Duration.between(due.now(), advance.next()));
      }
      return done && !advance.occurrences().isEmpty();
    } catch (StoreException e) {
      if (e.kind() == StoreException.Kind.UNAVAILABLE) {
        throw e;
      }
      return cannot(due, e);
    } catch (RuntimeException e) {
      return cannot(due, e); // such as what the times are found with; others may have it
    }
  }

  private boolean cannot(DueSchedule due, RuntimeException why) {
    if (logged.add(due.name() + " " + due.version())) {
      LOG.warn("Schedule {} could not be advanced here: {}", due.name(), why.getMessage());
    }
    return false;
  }
}
