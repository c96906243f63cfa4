package dev.berth.benchmarks;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/**
 * What the processors have done so far, in ticks of the system's own: all time, the part in which
 * they were busy, and the part that a virtual machine wanted and others got.
 */
record CpuTime(long all, long busy, long stolen) {

  private static final Path COUNTERS = Path.of("/proc/stat");

  /** Columns of the first line: user, nice, system, idle, waiting for disks, …, stolen. */
  private static final int IDLE = 4;

  private static final int WAITING = 5;
  private static final int STOLEN = 8;

  /** Empty where the system does not tell. */
  static Optional<CpuTime> now() {
    try {
      return Optional.of(of(Files.readString(COUNTERS)));
    } catch (IOException | NumberFormatException | ArrayIndexOutOfBoundsException e) {
      return Optional.empty();
    }
  }

  static CpuTime of(String counters) {
    String[] columns = counters.lines().findFirst().orElse("").split(" +");
    long all = 0;
    for (int column = 1; column <= STOLEN; column++) {
      all += Long.parseLong(columns[column]);
    }
    long idle = Long.parseLong(columns[IDLE]) + Long.parseLong(columns[WAITING]);
    long stolen = Long.parseLong(columns[STOLEN]);
    return new CpuTime(all, all - idle - stolen, stolen);
  }

  /** What was added after the other was taken. */
  CpuTime since(CpuTime before) {
    return new CpuTime(all - before.all, busy - before.busy, stolen - before.stolen);
  }

  double busyPart() {
    return (double) busy / Math.max(1, all);
  }

  double stolenPart() {
    return (double) stolen / Math.max(1, all);
  }
}
