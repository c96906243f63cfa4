package dev.berth.worker;

import java.util.Locale;

/** One setting of a worker and its three names: in the environment, in a file, in the builder. */
enum Setting {
  WORKER_NAME("name"),
  MAX_CONCURRENT_TASKS("maxConcurrentTasks"),
  CLAIM_BATCH_SIZE("claimBatchSize"),
  POLL_INTERVAL_MS("pollInterval"),
  LEASE_MS("lease"),
  HEARTBEAT_INTERVAL_MS("heartbeatInterval"),
  STOP_TIMEOUT_MS("stopTimeout"),
  MEMORY_THRESHOLD("memoryThreshold"),
  LATENCY_THRESHOLD_MS("latencyThreshold"),
  WAKE_UPS("wakeUps");

  static final String FILE_SECTION = "worker.";

  private final String method;

  Setting(String method) {
    this.method = method;
  }

  /** Such as {@code BERTH_CLAIM_BATCH_SIZE}. */
  String variable() {
    return "BERTH_" + name();
  }

  /** Such as {@code worker.claim_batch_size}. */
  String key() {
    return FILE_SECTION + (this == WORKER_NAME ? "name" : name().toLowerCase(Locale.ROOT));
  }

  /** Such as {@code claimBatchSize}. */
  String method() {
    return method;
  }
}
