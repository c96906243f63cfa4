package dev.berth.worker;

import com.sun.management.GarbageCollectorMXBean;
import com.sun.management.GcInfo;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.lang.management.MemoryType;
import java.lang.management.MemoryUsage;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/**
 * How much of its memory this process has really taken, from 0 to 1: the fuller of two boxes.
 *
 * <p>The heap: what the last collection left, because before a collection the heap is full of
 * garbage as a matter of course. The container, where there is one with a limit: its working set,
 * less the part of the heap that is garbage or free. The machine's own free memory is not looked
 * at: on a healthy machine it is near zero, as files are kept in it, and the container's figure of
 * the JDK counts such files as well.
 */
final class MemoryUse {

  private static final long FRESH_FOR = TimeUnit.MILLISECONDS.toNanos(500);

  private final List<GarbageCollectorMXBean> collectors =
      ManagementFactory.getPlatformMXBeans(GarbageCollectorMXBean.class);
  private final Set<String> heapPools =
      ManagementFactory.getMemoryPoolMXBeans().stream()
          .filter(pool -> pool.getType() == MemoryType.HEAP)
          .map(MemoryPoolMXBean::getName)
          .collect(Collectors.toSet());
  private final Container container = Container.find();

  private volatile double latest;
  private volatile long readAt = Long.MIN_VALUE;

  /** As it was at most half a second ago. */
  double used() {
    long now = Ticks.now();
    if (readAt == Long.MIN_VALUE || now - readAt > FRESH_FOR) {
      latest = read();
      readAt = now; // now others may take it for fresh
    }
    return latest;
  }

  private double read() {
    MemoryUsage heap = ManagementFactory.getMemoryMXBean().getHeapMemoryUsage();
    long live = liveHeap(heap.getUsed());
    return used(
        live, heap.getCommitted(), heap.getMax(), container.workingSet(), container.limit());
  }

  /** The rule; a maximum of 0 or less means that there is none. */
  static double used(long live, long committed, long max, long workingSet, long limit) {
    double ofHeap = max > 0 ? (double) live / max : 0;
    double ofContainer = limit > 0 ? (double) (workingSet - (committed - live)) / limit : 0;
    return Math.clamp(Math.max(ofHeap, ofContainer), 0, 1);
  }

  /** What the last collection of any kind left in the heap. */
  private long liveHeap(long usedNow) {
    return collectors.stream()
        .map(GarbageCollectorMXBean::getLastGcInfo)
        .filter(info -> info != null)
        .max(Comparator.comparingLong(GcInfo::getEndTime))
        .map(this::afterCollection)
        .map(after -> Math.min(after, usedNow))
        .orElse(usedNow);
  }

  private long afterCollection(GcInfo info) {
    return info.getMemoryUsageAfterGc().entrySet().stream()
        .filter(pool -> heapPools.contains(pool.getKey()))
        .mapToLong(pool -> pool.getValue().getUsed())
        .sum();
  }
}
