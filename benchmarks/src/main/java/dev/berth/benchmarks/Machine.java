package dev.berth.benchmarks;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;

/** What the measurements run on. */
record Machine(int cores, long memoryGb, String system, String java) {

  static Machine here() {
    var bean = ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);
    return new Machine(
        Runtime.getRuntime().availableProcessors(),
        Math.round(bean.getTotalMemorySize() / (double) (1 << 30)),
        System.getProperty("os.name") + " " + System.getProperty("os.arch"),
        "Java %s, %s".formatted(Runtime.version(), System.getProperty("java.vm.name")));
  }

  @Override
  public String toString() {
    return "%d cores, %d GB, %s, %s".formatted(cores, memoryGb, system, java);
  }
}
