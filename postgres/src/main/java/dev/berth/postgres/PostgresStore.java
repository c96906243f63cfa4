package dev.berth.postgres;

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
import dev.berth.store.StoreException;
import dev.berth.store.Submission;
import dev.berth.store.Submitted;
import dev.berth.store.Submitter;
import dev.berth.store.Swept;
import dev.berth.store.WakeUp;
import dev.berth.view.Capacity;
import dev.berth.view.SessionId;
import dev.berth.view.StoreReader;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import javax.sql.DataSource;

/**
 * The store on PostgreSQL 13 and later. All state is in the schema {@code berth}; every verb is one
 * call of a function there.
 *
 * <p>A process that only submits needs one connection at a time. A process with a worker needs
 * {@value #WORKER_CONNECTIONS} and three more for each further worker: exchange, hand-in and
 * heartbeat hold a connection each, as does listening for wake-ups; sweeps and submits borrow one.
 * A process without a worker that holds slots needs {@value #HOLDER_CONNECTIONS}.
 */
public final class PostgresStore implements Store {

  /** Exchange, hand-in, heartbeat, wake-ups in and out, and one to borrow. */
  static final int WORKER_CONNECTIONS = 6;

  /** Heartbeat, wake-ups in and out, and one to borrow. */
  static final int HOLDER_CONNECTIONS = 4;

  private final Database database;
  private final boolean notifications;
  private final Hints hints;
  private final Holds holds;
  private final Paces paces;
  private final Upkeep upkeep;
  private final PostgresReader reader;
  private final Commands commands;
  private final Unreadable unreadable;
  private final AutoCloseable owned;
  private final Map<SessionId, WorkerSession> sessions = new ConcurrentHashMap<>();

  private PostgresStore(DataSource dataSource, PostgresOptions options, AutoCloseable owned) {
    this.database = new Database(dataSource);
    this.notifications = options.wakeUps();
    this.owned = owned;
    Schema schema = new Schema(dataSource);
    if (options.migrate()) {
      schema.migrate();
    } else {
      schema.check();
    }
    this.hints = new Hints(database, options.wakeUps(), this::heard);
    this.holds = new Holds(database, hints);
    this.paces = new Paces(database);
    this.upkeep = new Upkeep(database);
    this.reader = new PostgresReader(database);
    this.commands = new Commands(database);
    this.unreadable = new Unreadable(database);
  }

  /** On the application's own pool, which stays the application's to close. */
  public static PostgresStore of(DataSource dataSource) {
    return of(dataSource, PostgresOptions.DEFAULT);
  }

  public static PostgresStore of(DataSource dataSource, PostgresOptions options) {
    return new PostgresStore(dataSource, options, () -> {});
  }

  /** As {@link #of}, and closes the pool with the store. */
  static PostgresStore owning(DataSource pool, PostgresOptions options, AutoCloseable owned) {
    return new PostgresStore(pool, options, owned);
  }

  /** For what only PostgreSQL can do. */
  Database database() {
    return database;
  }

  /** What shows that its sessions are those of this process. */
  List<UUID> proofs() {
    return sessions.values().stream().map(WorkerSession::proof).toList();
  }

  /**
   * Submits as part of the transaction on this connection. It is never committed, rolled back or
   * closed here; workers hear of the tasks when the caller commits.
   */
  public Submitter joining(Connection connection) {
    return batch -> {
      paces.named(batch);
      try {
        BatchSubmit done = BatchSubmit.joining(connection, batch);
        if (notifications) {
          HintSender.within(connection, done.hints());
        }
        return done.submitted();
      } catch (SQLException e) {
        throw Failures.of(submitting(batch) + " in the caller's transaction", e);
      }
    };
  }

  @Override
  public List<Submitted> submit(List<Submission> batch) {
    if (batch.isEmpty()) {
      return List.of();
    }
    paces.named(batch);
    boolean waking = SingleSubmit.fits(batch) && hints.mayGoWithSubmit();
    BatchSubmit done =
        database.connected(
            submitting(batch),
            connection -> Database.persistently(connection, on -> submit(on, batch, waking)));
    if (done.told()) {
      hints.tellHere(done.hints());
    } else {
      hints.tellOfSubmit(done.hints());
    }
    return done.submitted();
  }

  private static BatchSubmit submit(Connection connection, List<Submission> batch, boolean waking)
      throws SQLException {
    if (SingleSubmit.fits(batch)) {
      Optional<BatchSubmit> done = SingleSubmit.on(connection, batch.getFirst(), waking);
      if (done.isPresent()) {
        return done.get();
      }
    }
    return BatchSubmit.on(connection, batch);
  }

  @Override
  public Session open(SessionRequest request) {
    Pool.check(database, needed(request));
    Sessions.Opened opened =
        database.connected("open a session", connection -> Sessions.open(connection, request));
    SessionId id = new SessionId(Long.toString(opened.id()));
    sessions.put(id, new WorkerSession(opened, request, database));
    return new Session(id, request.lease(), opened.differing(), opened.cap());
  }

  @Override
  public Exchanged exchange(ExchangeRequest request) {
    WorkerSession session = sessions.get(request.session());
    if (session == null) {
      return new Exchanged.SessionLost();
    }
    try {
      Exchanged answer = Exchanges.run(session, request, hints::tell);
      if (answer instanceof Exchanged.SessionLost) {
        forget(request.session());
      }
      return answer;
    } catch (StoreException e) {
      boolean claim = request.ended().isEmpty() && request.claims() > 0;
      if (claim && e.refused() && unreadable.failed(session.request(), request)) {
        return Exchanges.run(session, request, hints::tell);
      }
      throw e;
    }
  }

  @Override
  public Heartbeat heartbeat(SessionId id, Capacity capacity, Map<Lease, String> progress) {
    WorkerSession session = sessions.get(id);
    if (session == null) {
      return new Heartbeat(false, List.of());
    }
    Heartbeat answer = Sessions.heartbeat(session, capacity, progress);
    if (!answer.alive() && session.request().types().isEmpty()) {
      forget(id); // a worker asks once more: what had ended before may be accepted
    }
    return answer;
  }

  /** Gives its connections back. */
  private void forget(SessionId id) {
    WorkerSession gone = sessions.remove(id);
    if (gone != null) {
      gone.close();
    }
  }

  @Override
  public void leave(SessionId id) {
    try (WorkerSession session = sessions.remove(id)) {
      if (session != null) {
        Sessions.leave(session);
      }
    }
  }

  @Override
  public Held hold(SessionId session, long number, Need need) {
    WorkerSession holder = sessions.get(session);
    if (holder == null) {
      return new Held.SessionLost();
    }
    paces.named(need);
    return holds.hold(holder, number, need);
  }

  @Override
  public boolean release(SessionId session, long number) {
    WorkerSession holder = sessions.get(session);
    return holder != null && holds.release(holder, number);
  }

  @Override
  public Swept sweep() {
    return upkeep.sweep();
  }

  @Override
  public boolean advance(Advance advance) {
    boolean done = commands.advance(advance);
    hinted(done);
    return done;
  }

  @Override
  public Applied apply(Command command) {
    Applied applied = commands.apply(command);
    hinted(applied == Applied.DONE);
    return applied;
  }

  /** With notifications the database tells; without, at least this process shall know. */
  private void hinted(boolean changed) {
    if (changed && !notifications) {
      hints.tell(List.of(Hint.ANYWHERE));
    }
  }

  @Override
  public Subscription onWork(Consumer<WakeUp> listener) {
    return hints.listen(listener);
  }

  @Override
  public StoreReader reader() {
    return reader;
  }

  @Override
  public void close() {
    hints.close();
    sessions.values().forEach(WorkerSession::close);
    sessions.clear();
    try {
      owned.close();
    } catch (Exception e) {
      throw new StoreException(
          StoreException.Kind.UNAVAILABLE, "Could not close the pool: " + e.getMessage(), e);
    }
  }

  private static String submitting(List<Submission> batch) {
    return "submit " + batch.size() + (batch.size() == 1 ? " task" : " tasks");
  }

  /** The first worker, or the first session that only holds slots, also needs those of wake-ups. */
  private int needed(SessionRequest request) {
    if (request.types().isEmpty()) {
      return sessions.isEmpty() ? HOLDER_CONNECTIONS : 2;
    }
    boolean first = sessions.values().stream().allMatch(other -> other.request().types().isEmpty());
    return first ? WORKER_CONNECTIONS : 3;
  }

  private void heard(Hint hint) {
    if (hint instanceof Hint.Ready ready) {
      sessions.values().forEach(session -> session.plan().lower(ready));
    } else if (hint instanceof Hint.Steps steps) {
      upkeep.lower(steps.at());
    }
  }
}
