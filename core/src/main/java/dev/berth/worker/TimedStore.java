package dev.berth.worker;

import dev.berth.limit.Need;
import dev.berth.store.Advance;
import dev.berth.store.Applied;
import dev.berth.store.Command;
import dev.berth.store.ExchangeRequest;
import dev.berth.store.Exchanged;
import dev.berth.store.Heartbeat;
import dev.berth.store.Held;
import dev.berth.store.Lease;
import dev.berth.store.Session;
import dev.berth.store.SessionRequest;
import dev.berth.store.Store;
import dev.berth.store.Submission;
import dev.berth.store.Submitted;
import dev.berth.store.Swept;
import dev.berth.store.WakeUp;
import dev.berth.view.Capacity;
import dev.berth.view.SessionId;
import dev.berth.view.StoreReader;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A store that remembers how long its exchanges and heartbeats took, and when the last was. */
final class TimedStore implements Store {

  /** Calls of one kind that were answered. */
  private static final class Calls {
    private final Histogram times = new Histogram();
    private volatile long lastAt = Ticks.NEVER;

    <T> T time(Supplier<T> call) {
      long began = Ticks.now();
      T answer = call.get();
      lastAt = Ticks.now();
      times.add(lastAt - began);
      return answer;
    }

    @Nullable Duration sinceLast() {
      long at = lastAt;
      return at == Ticks.NEVER ? null : Duration.ofNanos(Ticks.now() - at);
    }
  }

  private final Store store;
  private final Calls exchanges = new Calls();
  private final Calls heartbeats = new Calls();

  TimedStore(Store store) {
    this.store = store;
  }

  WorkerHealth health(boolean running) {
    return new WorkerHealth(
        running,
        exchanges.sinceLast(),
        heartbeats.sinceLast(),
        exchanges.times.times(),
        heartbeats.times.times());
  }

  @Override
  public Exchanged exchange(ExchangeRequest request) {
    return exchanges.time(() -> store.exchange(request));
  }

  @Override
  public Heartbeat heartbeat(SessionId session, Capacity capacity, Map<Lease, String> progress) {
    return heartbeats.time(() -> store.heartbeat(session, capacity, progress));
  }

  @Override
  public Session open(SessionRequest request) {
    return store.open(request);
  }

  @Override
  public void leave(SessionId session) {
    store.leave(session);
  }

  @Override
  public Held hold(SessionId session, long number, Need need) {
    return store.hold(session, number, need);
  }

  @Override
  public boolean release(SessionId session, long number) {
    return store.release(session, number);
  }

  @Override
  public Swept sweep() {
    return store.sweep();
  }

  @Override
  public boolean advance(Advance advance) {
    return store.advance(advance);
  }

  @Override
  public Applied apply(Command command) {
    return store.apply(command);
  }

  @Override
  public List<Submitted> submit(List<Submission> batch) {
    return store.submit(batch);
  }

  @Override
  public Subscription onWork(Consumer<WakeUp> listener) {
    return store.onWork(listener);
  }

  @Override
  public StoreReader reader() {
    return store.reader();
  }

  @Override
  public void close() {
    store.close();
  }
}
