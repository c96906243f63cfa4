package dev.berth.worker;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * The memory of the control group this process lives in, version 1 or 2. The working set leaves out
 * file pages that the kernel drops when memory is short, as Kubernetes counts it too.
 */
record Container(Path usage, Path stat, String reclaimable, long limit) {

  private static final Container NONE = new Container(Path.of(""), Path.of(""), "", 0);

  /** Some kernels write an absurdly large number where no limit is set. */
  private static final long NO_LIMIT = 1L << 50;

  static Container find() {
    return find(Path.of("/sys/fs/cgroup"));
  }

  static Container find(Path root) {
    Path old = root.resolve("memory");
    List<Container> both =
        List.of(
            new Container(
                root.resolve("memory.current"),
                root.resolve("memory.stat"),
                "inactive_file ",
                number(root.resolve("memory.max"))),
            new Container(
                old.resolve("memory.usage_in_bytes"),
                old.resolve("memory.stat"),
                "total_inactive_file ",
                number(old.resolve("memory.limit_in_bytes"))));
    return both.stream()
        .filter(found -> found.limit > 0 && found.limit < NO_LIMIT)
        .findFirst()
        .orElse(NONE);
  }

  /** In bytes; 0 where there is no limit to compare it with. */
  long workingSet() {
    return limit > 0 ? Math.max(0, number(usage) - reclaimableBytes()) : 0;
  }

  private long reclaimableBytes() {
    try {
      for (String line : Files.readAllLines(stat)) {
        if (line.startsWith(reclaimable)) {
          return Long.parseLong(line.substring(reclaimable.length()).strip());
        }
      }
    } catch (IOException | NumberFormatException e) {
      return 0;
    }
    return 0;
  }

  /** The number in a file; 0 where there is no file, or "max" in it. */
  private static long number(Path file) {
    try {
      return Long.parseLong(Files.readString(file).strip());
    } catch (IOException | NumberFormatException e) {
      return 0;
    }
  }
}
