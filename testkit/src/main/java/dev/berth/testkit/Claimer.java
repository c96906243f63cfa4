package dev.berth.testkit;

import dev.berth.store.Claim;
import dev.berth.store.Ended;
import dev.berth.store.ExchangeRequest;
import dev.berth.store.Exchanged;
import dev.berth.store.Heartbeat;
import dev.berth.store.Lease;
import dev.berth.store.Session;
import dev.berth.store.SessionRequest;
import dev.berth.store.SessionRequest.Handled;
import dev.berth.store.Store;
import dev.berth.task.Outcome;
import dev.berth.task.Retention;
import dev.berth.task.TaskId;
import dev.berth.task.TaskType;
import dev.berth.view.Capacity;
import dev.berth.view.SessionId;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * A session in the hands of a test: it numbers its exchanges and can repeat the last one. Used by
 * one thread.
 */
public final class Claimer {

  /** How long a session lives after each heartbeat, unless the test says otherwise. */
  public static final Duration LEASE = Duration.ofSeconds(30);

  private static final long ANY_SIZE = Long.MAX_VALUE;

  private final Store store;
  private final Session session;
  private ExchangeRequest last;

  private Claimer(Store store, Session session) {
    this.store = store;
    this.session = session;
    this.last = new ExchangeRequest(session.id(), 0, List.of(), 0, List.of());
  }

  /** A session of a worker that handles these types with the usual settings. */
  public static Claimer open(Store store, String worker, String... types) {
    List<Handled> handled =
        Stream.of(types)
            .map(type -> new Handled(type, Retention.DEFAULT, TaskType.DEFAULT_MAX_CRASHES))
            .toList();
    return open(store, worker, handled);
  }

  public static Claimer open(Store store, String worker, List<Handled> types) {
    return open(store, worker, types, TaskType.DEFAULT_QUEUE);
  }

  /** One that reads these queues. */
  static Claimer open(Store store, String worker, List<Handled> types, String... queues) {
    SessionRequest request = new SessionRequest(worker, types, List.of(queues), LEASE, 100);
    return new Claimer(store, store.open(request));
  }

  public SessionId id() {
    return session.id();
  }

  /** Takes up to this many tasks; from the default queue where none is named. */
  public List<Claim> claim(int most, String... queues) {
    return done(exchange(List.of(), most, queues)).claims();
  }

  /** Takes one task, which must be there. */
  public Claim claimOne() {
    return claim(1).getFirst();
  }

  /** The ids of what {@link #claim} takes. */
  public List<TaskId> claimIds(int most, String... queues) {
    return claim(most, queues).stream().map(claim -> claim.lease().task()).toList();
  }

  /** Hands in one outcome and takes nothing. */
  public Exchanged.Done end(Lease lease, Outcome outcome) {
    return done(exchange(List.of(new Ended(lease, outcome)), 0));
  }

  public Exchanged.Done end(Claim claim, Outcome outcome) {
    return end(claim.lease(), outcome);
  }

  /** Hands in one outcome for each of the claims and takes nothing. */
  public Exchanged.Done endAll(List<Claim> claims, Outcome outcome) {
    return done(
        exchange(claims.stream().map(claim -> new Ended(claim.lease(), outcome)).toList(), 0));
  }

  /** The next exchange; from the default queue where none is named. */
  public Exchanged exchange(List<Ended> ended, int claims, String... queues) {
    List<String> from = queues.length == 0 ? List.of(TaskType.DEFAULT_QUEUE) : List.of(queues);
    last = new ExchangeRequest(id(), last.number() + 1, ended, claims, from);
    return repeat();
  }

  /** The next exchange from the default queue, with standbys from the first. */
  public Exchanged exchange(List<Ended> ended, int claims, ExchangeRequest.Ahead ahead) {
    List<String> from = List.of(TaskType.DEFAULT_QUEUE);
    last = new ExchangeRequest(id(), last.number() + 1, ended, claims, from, ahead, ANY_SIZE);
    return repeat();
  }

  /** Takes up to this many tasks from the default queue, no further one after so many bytes. */
  public List<Claim> claimWithin(int most, long bytes) {
    List<String> from = List.of(TaskType.DEFAULT_QUEUE);
    last =
        new ExchangeRequest(
            id(), last.number() + 1, List.of(), most, from, ExchangeRequest.Ahead.NONE, bytes);
    return done(repeat()).claims();
  }

  /** The last exchange once more, by a worker that had no memory for its answer. */
  public Exchanged.Done repeatUnread() {
    return done(store.exchange(last.unread()));
  }

  /** The last exchange once more, as after a lost reply. */
  public Exchanged repeat() {
    return store.exchange(last);
  }

  /** What {@link #repeat} sends. */
  public ExchangeRequest last() {
    return last;
  }

  public Heartbeat heartbeat() {
    return heartbeat(Map.of());
  }

  public Heartbeat heartbeat(Map<Lease, String> progress) {
    return store.heartbeat(id(), new Capacity(50, 100, 0.5), progress);
  }

  public void leave() {
    store.leave(id());
  }

  /** The answer of an exchange that must have taken place. */
  public static Exchanged.Done done(Exchanged answer) {
    return switch (answer) {
      case Exchanged.Done done -> done;
      case Exchanged.SessionLost lost -> throw new AssertionError("The session was lost");
    };
  }
}
