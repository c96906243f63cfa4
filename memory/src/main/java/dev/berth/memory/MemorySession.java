package dev.berth.memory;

import dev.berth.store.Claim;
import dev.berth.store.Lease;
import dev.berth.store.SessionRequest;
import dev.berth.store.SessionRequest.Handled;
import dev.berth.task.TaskId;
import dev.berth.value.Texts;
import dev.berth.view.Capacity;
import dev.berth.view.SessionId;
import dev.berth.view.SessionView;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** One worker's presence and what it runs. Guarded by the lock of the store. */
final class MemorySession {

  final SessionId id;
  final List<String> types;
  final Map<TaskId, MemoryTask> running = new LinkedHashMap<>();

  /** What it holds without a task, by number. */
  final Map<Long, MemoryHold> holds = new LinkedHashMap<>();

  /** The last exchange and its answer, for a repeat after a lost reply. */
  long number;

  List<Claim> claims = List.of();
  List<Lease> stale = List.of();

  private final SessionRequest request;
  private final Instant openedAt;
  private Instant expiresAt;
  private Capacity capacity;

  MemorySession(SessionId id, SessionRequest request, Instant now) {
    this.id = id;
    this.request = request;
    this.types = request.types().stream().map(Handled::type).distinct().toList();
    this.openedAt = now;
    this.expiresAt = now.plus(request.lease());
    this.capacity = new Capacity(request.capacity(), request.capacity(), 0);
  }

  List<String> queues() {
    return request.queues();
  }

  String worker() {
    return request.worker();
  }

  Instant expiresAt() {
    return expiresAt;
  }

  boolean serves(String type, String queue) {
    return types.contains(type) && request.queues().contains(queue);
  }

  boolean aliveAt(Instant now) {
    return now.isBefore(expiresAt);
  }

  void renew(Capacity said, Instant now) {
    capacity = said;
    expiresAt = now.plus(request.lease());
  }

  void progress(Lease lease, String text) {
    MemoryTask task = running.get(lease.task());
    if (task != null && task.token == lease.token()) {
      task.progress = Texts.clean(text, Texts.LONGEST);
    }
  }

  /** What it runs, as a copy: ending an attempt changes the map. */
  List<MemoryTask> tasks() {
    return List.copyOf(running.values());
  }

  /** The running tasks that someone asked to cancel. */
  List<Lease> cancelled() {
    return running.values().stream()
        .filter(task -> task.cancelReason != null)
        .map(MemoryTask::lease)
        .toList();
  }

  SessionView view() {
    return new SessionView(
        id, worker(), openedAt, expiresAt, capacity, request.queues(), types, running.size());
  }
}
