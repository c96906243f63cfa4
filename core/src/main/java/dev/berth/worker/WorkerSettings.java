package dev.berth.worker;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/**
 * How a worker behaves. Each value comes from the environment, else from the configuration file,
 * else from the builder, else it is the default.
 *
 * @param name who it is, for people; need not be unique
 * @param maxConcurrentTasks how many tasks it has in flight at most
 * @param claimBatchSize how many tasks one exchange claims at most, or as many as it hands in; with
 *     standbys up to ten times as many
 * @param pollInterval how often an idle worker looks for work when no wake-up comes; ten times as
 *     rarely where wake-ups are known to arrive
 * @param lease how long its tasks stay its own without a heartbeat
 * @param heartbeatInterval how often it renews the lease
 * @param stopTimeout how long a stop waits for running handlers before it interrupts them
 * @param memoryThreshold the used part of the memory above which it claims half as much
 * @param latencyThreshold the time of an exchange above which it claims 30 % less
 * @param wakeUps whether it listens for hints that work exists, besides polling
 */
public record WorkerSettings(
    String name,
    int maxConcurrentTasks,
    int claimBatchSize,
    Duration pollInterval,
    Duration lease,
    Duration heartbeatInterval,
    Duration stopTimeout,
    double memoryThreshold,
    Duration latencyThreshold,
    boolean wakeUps) {

  public WorkerSettings {
    if (heartbeatInterval.multipliedBy(2).compareTo(lease) > 0) {
      throw new IllegalArgumentException(
          "The heartbeat interval of %d ms is too long for a lease of %d ms: half of it at most, so that one lost heartbeat does not lose the session"
              .formatted(heartbeatInterval.toMillis(), lease.toMillis()));
    }
  }

  /** What these values of a configuration file come to by themselves; a wrong one is an error. */
  public static WorkerSettings fromFile(Map<String, String> file) {
    SettingValues values = new SettingValues();
    values.fromBuilder(Setting.WORKER_NAME, "worker"); // spends no number on a worker never started
    values.fromFile(file);
    return from(values);
  }

  /** The keys that a configuration file can have, such as {@code worker.claim_batch_size}. */
  public static List<String> fileKeys() {
    return Arrays.stream(Setting.values()).map(Setting::key).toList();
  }

  static WorkerSettings from(SettingValues values) {
    return new WorkerSettings(
        values.name(Setting.WORKER_NAME, WorkerName::next),
        values.whole(Setting.MAX_CONCURRENT_TASKS, 1_000, 1, 1_000_000),
        values.whole(Setting.CLAIM_BATCH_SIZE, 50, 1, 10_000),
        values.millis(Setting.POLL_INTERVAL_MS, 100, 1),
        values.millis(Setting.LEASE_MS, 30_000, 100),
        values.millis(Setting.HEARTBEAT_INTERVAL_MS, 5_000, 10),
        values.millis(Setting.STOP_TIMEOUT_MS, 30_000, 0),
        values.part(Setting.MEMORY_THRESHOLD, 0.80),
        values.millis(Setting.LATENCY_THRESHOLD_MS, 500, 1),
        values.onOff(Setting.WAKE_UPS, true));
  }
}
