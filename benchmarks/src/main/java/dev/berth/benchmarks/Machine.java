package dev.berth.benchmarks;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;

/** What the measurements run on. */
record Machine(int cores, long memoryGb, String system, String java) {

  /** Of the cores, how many may be busy with something else before the run is called noisy. */
  private static final double BUSY_PART = 0.5;

  static Machine here() {
    var bean = ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);
    return new Machine(
        Runtime.getRuntime().availableProcessors(),
        Math.round(bean.getTotalMemorySize() / (double) (1 << 30)),
        System.getProperty("os.name") + " " + System.getProperty("os.arch"),
        "Java %s, %s".formatted(Runtime.version(), System.getProperty("java.vm.name")));
  }

  /** How many threads ran or waited for a core during the last minute; negative if unknown. */
  static double load() {
    return ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage();
  }

  boolean busy(double load) {
    return load > BUSY_PART * cores;
  }

  @Override
  public String toString() {
    return "%d cores, %d GB, %s, %s".formatted(cores, memoryGb, system, java);
  }
}
