package dev.berth.postgres;

import dev.berth.postgres.LimitedClaims.Floor;
import dev.berth.store.Claim;
import dev.berth.store.Ended;
import dev.berth.store.ExchangeRequest;
import dev.berth.store.Exchanged;
import dev.berth.store.Lease;
import dev.berth.store.SessionRequest;
import dev.berth.store.StoreException;
import dev.berth.task.Outcome;
import dev.berth.task.TaskId;
import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** One call of {@code berth.exchange}: its arguments from a request, its rows into an answer. */
final class Exchanges {

  /** A claim and its place in its line. */
  record Placed(Claim claim, Instant position) {}

  private final WorkerSession session;
  private final ExchangeRequest request;
  private final List<ScanPlan.Line> lines;
  private final boolean apart;

  private final List<Placed> claims = new ArrayList<>();
  private final List<Lease> stale = new ArrayList<>();
  private final List<Lease> aside = new ArrayList<>();
  private final List<Lease> cancelled = new ArrayList<>();
  private final List<Hint> hints = new ArrayList<>();
  private @Nullable Duration again;

  private Exchanges(
      WorkerSession session, ExchangeRequest request, List<ScanPlan.Line> lines, boolean apart) {
    this.session = session;
    this.request = request;
    this.lines = lines;
    this.apart = apart;
  }

  /**
   * @param tell hears of tasks that went back to their queue
   */
  static Exchanged run(WorkerSession session, ExchangeRequest request, Consumer<List<Hint>> tell) {
    List<ScanPlan.Line> lines =
        request.claims() > 0
            ? session.plan().lines(request.queues(), request.ended().isEmpty(), System.nanoTime())
            : List.of();
    try {
      return session.halves(request)
          ? inHalves(session, request, lines, tell)
          : new Exchanges(session, request, lines, false).run(session.exchange(), tell);
    } catch (RuntimeException | Error e) {
      session.plan().failed();
      session.limited().failed();
      throw e;
    }
  }

  /** Outcomes on one connection, claims on another, at the same time. */
  private static Exchanged inHalves(
      WorkerSession session,
      ExchangeRequest request,
      List<ScanPlan.Line> lines,
      Consumer<List<Hint>> tell) {
    Exchanges handIn = new Exchanges(session, request.withoutClaims(), List.of(), true);
    Exchanges claim = new Exchanges(session, request.withoutOutcomes(), lines, false);
    var handedIn =
        CompletableFuture.supplyAsync(
            () -> handIn.run(session.handIn(), tell), Thread::startVirtualThread);
    Exchanged claimed;
    try {
      claimed = claim.run(session.exchange(), tell);
    } catch (StoreException e) {
      if (!e.refused()) {
        throw e;
      }
      // the outcomes stand nevertheless; why, is told when nothing but claims is asked for
      session.plan().failed();
      session.limited().failed();
      claimed = new Exchanged.Done(List.of(), List.of(), List.of(), Duration.ZERO);
    } finally {
      handedIn.exceptionally(e -> new Exchanged.SessionLost()).join();
    }
    return both(claimed, handedIn);
  }

  /** If the outcomes were called wrong, the claims stand nevertheless. */
  private static Exchanged both(Exchanged claimed, CompletableFuture<Exchanged> handedIn) {
    if (!(claimed instanceof Exchanged.Done claims)) {
      return claimed;
    }
    try {
      return handedIn.join() instanceof Exchanged.Done outcomes
          ? new Exchanged.Done(
              claims.claims(),
              outcomes.stale(),
              outcomes.aside(),
              claims.cancelled(),
              claims.again(),
              null)
          : new Exchanged.SessionLost();
    } catch (CompletionException e) {
      if (e.getCause() instanceof StoreException wrong && wrong.refused()) {
        return new Exchanged.Done(
            claims.claims(), List.of(), List.of(), claims.cancelled(), claims.again(), wrong);
      }
      throw e.getCause() instanceof RuntimeException failed ? failed : e;
    }
  }

  private Exchanged run(HeldConnection on, Consumer<List<Hint>> tell) {
    Exchanged answer;
    try {
      answer = call(on);
    } catch (StoreException e) {
      if (!Failures.isLocked(e) || request.ended().isEmpty() || session.careful()) {
        throw e;
      }
      session.locked(); // nothing was done: the number is free
      answer = call(on);
    }
    if (!request.ended().isEmpty()) {
      session.handedIn(request.ended(), aside);
    }
    tell.accept(hints);
    return answer;
  }

  private Exchanged call(HeldConnection on) {
    return on.run(
        "exchange outcomes for tasks", connection -> Database.persistently(connection, this::on));
  }

  private Exchanged on(Connection connection) throws SQLException {
    long began = System.nanoTime();
    return Database.run(
        connection,
        Statements.EXCHANGE,
        statement -> {
          bind(connection, statement);
          try (ResultSet rows = statement.executeQuery()) {
            long took = System.nanoTime() - began;
            Exchanged answer = read(rows);
            remember(began, took);
            return answer;
          }
        });
  }

  /** What this claim says about where the next one should look. */
  private void remember(long began, long took) {
    boolean dry = !request.filledBy(claims.stream().map(Placed::claim).toList(), aside.size());
    for (ScanPlan.Line line : lines) {
      if (line.mode() == ScanPlan.Mode.LANES || line.mode() == ScanPlan.Mode.FREED) {
        continue;
      }
      if (line.mode() == ScanPlan.Mode.SCAN) {
        session.plan().scanned(line.queue(), began, took, dry);
      }
      session.plan().dry(line.queue(), dry);
    }
  }

  private void bind(Connection connection, PreparedStatement statement) throws SQLException {
    List<Ended> ended = request.ended();
    statement.setInt(1, Migration.NEWEST);
    statement.setLong(2, session.id());
    statement.setObject(3, session.proof());
    statement.setLong(4, request.number());
    statement.setArray(5, Arrays.uuids(connection, ended, e -> e.lease().task().value()));
    statement.setArray(6, Arrays.of(connection, "int8", ended, e -> e.lease().token()));
    statement.setArray(7, Arrays.of(connection, "text", ended, e -> word(e.outcome())));
    statement.setArray(8, Arrays.of(connection, "text", ended, e -> text(e.outcome())));
    statement.setArray(9, Arrays.of(connection, "int8", ended, e -> delay(e.outcome())));
    statement.setArray(10, Arrays.of(connection, "text", lines, ScanPlan.Line::queue));
    statement.setArray(11, Arrays.of(connection, "int2", lines, Exchanges::priority));
    statement.setArray(12, Arrays.of(connection, "timestamptz", lines, ScanPlan.Line::floor));
    statement.setArray(13, Arrays.of(connection, "text", lines, Exchanges::mode));
    statement.setArray(14, Arrays.of(connection, "text", lines, ScanPlan.Line::cursor));
    statement.setArray(
        15, Arrays.of(connection, "text", session.request().types(), SessionRequest.Handled::type));
    statement.setInt(16, request.claims());
    statement.setArray(17, micros(connection, Ended::began));
    statement.setArray(18, micros(connection, Ended::passed));
    statement.setArray(
        19, some(connection, "int8", e -> e.heir() == null ? null : e.heir().lease().token()));
    statement.setArray(20, micros(connection, e -> e.heir() == null ? null : e.heir().began()));
    statement.setArray(21, some(connection, "int4", e -> e.standbys() == 0 ? null : e.standbys()));
    Map<String, Integer> ahead = request.ahead().perSlot();
    statement.setArray(
        22,
        ahead.isEmpty()
            ? null
            : Arrays.of(
                connection,
                "int4",
                session.request().types(),
                handled -> ahead.getOrDefault(handled.type(), 0)));
    statement.setInt(23, Math.max(request.claims(), request.ahead().most()));
    statement.setBoolean(24, apart);
    statement.setLong(29, request.bytes());
    bindLimited(connection, statement);
    statement.setBoolean(28, session.careful());
  }

  /** Where work under limits is looked at. A scan goes without floors: it looks behind them. */
  private void bindLimited(Connection connection, PreparedStatement statement) throws SQLException {
    Set<String> queues = new HashSet<>();
    Set<String> scanned = new HashSet<>();
    for (ScanPlan.Line line : lines) {
      switch (line.mode()) {
        case LANES, FREED -> queues.add(line.queue());
        case SCAN -> scanned.add(line.queue());
        case PLAIN, HOP -> {}
      }
    }
    boolean some = !queues.isEmpty();
    queues.removeAll(scanned);
    List<Floor> floors = session.limited().floors(queues);
    boolean none = floors.isEmpty();
    statement.setArray(25, none ? null : Arrays.of(connection, "text", floors, Floor::line));
    statement.setArray(26, none ? null : Arrays.of(connection, "int8", floors, Floor::micros));
    statement.setArray(
        27,
        some ? Arrays.of(connection, "int8", session.limited().leases(), lease -> lease) : null);
  }

  private @Nullable Array micros(Connection connection, Function<Ended, @Nullable Duration> of)
      throws SQLException {
    return some(
        connection,
        "int8",
        e -> {
          Duration time = of.apply(e);
          return time == null ? null : TimeUnit.NANOSECONDS.toMicros(time.toNanos());
        });
  }

  /** What few outcomes have; null where none has it. */
  private @Nullable Array some(
      Connection connection, String type, Function<Ended, @Nullable Object> of)
      throws SQLException {
    for (Ended each : request.ended()) {
      if (of.apply(each) != null) {
        return Arrays.of(connection, type, request.ended(), of);
      }
    }
    return null;
  }

  private Exchanged read(ResultSet rows) throws SQLException {
    Map<Long, Lease> handedIn = new HashMap<>();
    while (rows.next()) {
      switch (rows.getString("kind")) {
        case "claim" -> claims.add(new Placed(claim(rows), instantOf(rows, "position")));
        case "back" -> hints.add(hint(rows));
        case "lanes" -> lanes(rows);
        case "freed" ->
            hints.add(new Hint.Ready(rows.getString("queue"), Hint.Ready.LANES, Instant.EPOCH));
        case "level" ->
            session
                .plan()
                .read(
                    rows.getString("queue"),
                    rows.getInt("priority"),
                    instant(rows, "position"),
                    rows.getBoolean("foreign_types"));
        case "stale" -> add(stale, handedIn, rows.getLong("token"));
        case "aside" -> add(aside, handedIn, rows.getLong("token"));
        case "cancel" -> cancelled.add(lease(rows));
        case "lost" -> {
          return new Exchanged.SessionLost();
        }
        default -> throw new IllegalStateException("Unknown row kind " + rows.getString("kind"));
      }
    }
    session.limited().answered(request.ended(), claims);
    return new Exchanged.Done(inOrder(), stale, aside, cancelled, again, null);
  }

  private void add(List<Lease> leases, Map<Long, Lease> handedIn, long token) {
    if (handedIn.isEmpty()) {
      request.ended().forEach(e -> handedIn.put(e.lease().token(), e.lease()));
    }
    Lease lease = handedIn.get(token);
    if (lease != null) {
      leases.add(lease);
    }
  }

  private void lanes(ResultSet row) throws SQLException {
    session
        .plan()
        .lanes(row.getString("queue"), row.getString("payload"), row.getBoolean("foreign_types"));
    boolean strewn = row.getArray("metadata") != null;
    session.limited().seen(row.getString("queue"), strewn ? Arrays.pairs(row, "metadata") : null);
    Instant next = instant(row, "due_at");
    if (next != null) {
      Duration wait = Duration.between(instantOf(row, "position"), next);
      again = again == null || wait.compareTo(again) < 0 ? wait : again;
      // a scan by the plan might not look at the lanes then
      session.plan().limited(row.getString("queue"));
    }
  }

  /** As the queues were asked for, then by priority and position: rows come in any order. */
  private List<Claim> inOrder() {
    claims.sort(
        Comparator.<Placed>comparingInt(p -> request.queues().indexOf(p.claim().queue()))
            .thenComparing(p -> -p.claim().priority())
            .thenComparing(Placed::position)
            .thenComparing(p -> p.claim().lease().task()));
    return claims.stream().map(Placed::claim).toList();
  }

  private static Hint hint(ResultSet row) throws SQLException {
    Instant now = instantOf(row, "position");
    Instant due = instantOf(row, "due_at");
    String queue = row.getString("queue");
    return due.isAfter(now)
        ? new Hint.Later(queue, Duration.between(now, due))
        : new Hint.Ready(queue, row.getInt("priority"), now);
  }

  private static Claim claim(ResultSet row) throws SQLException {
    return new Claim(
        lease(row),
        row.getString("type"),
        row.getString("queue"),
        row.getInt("priority"),
        row.getString("payload"),
        Arrays.pairs(row, "metadata"),
        row.getInt("attempt"),
        row.getInt("failures"),
        row.getInt("crashes"),
        instantOf(row, "submitted_at"),
        instant(row, "due_at"),
        row.getString("lane"),
        row.getBoolean("foreign_types"));
  }

  private static Lease lease(ResultSet row) throws SQLException {
    return new Lease(new TaskId(row.getObject("id", UUID.class)), row.getLong("token"));
  }

  private static Instant instantOf(ResultSet row, String column) throws SQLException {
    return row.getObject(column, OffsetDateTime.class).toInstant();
  }

  private static @Nullable Instant instant(ResultSet row, String column) throws SQLException {
    OffsetDateTime time = row.getObject(column, OffsetDateTime.class);
    return time == null ? null : time.toInstant();
  }

  private static @Nullable Short priority(ScanPlan.Line line) {
    Integer priority = line.priority();
    return priority == null ? null : priority.shortValue();
  }

  private static String mode(ScanPlan.Line line) {
    return line.mode().name().toLowerCase(Locale.ROOT);
  }

  private static String word(Outcome outcome) {
    return switch (outcome) {
      case Outcome.Finished finished -> "finished";
      case Outcome.Retrying retrying -> "retry";
      case Outcome.Failed failed -> "failed";
      case Outcome.Released released -> "released";
      case Outcome.Cancelled cancel -> "cancelled";
    };
  }

  private static @Nullable String text(Outcome outcome) {
    return switch (outcome) {
      case Outcome.Finished finished -> finished.result();
      case Outcome.Retrying retrying -> retrying.error();
      case Outcome.Failed failed -> failed.error();
      case Outcome.Released released -> null;
      case Outcome.Cancelled cancel -> cancel.reason();
    };
  }

  private static long delay(Outcome outcome) {
    return switch (outcome) {
      case Outcome.Retrying retrying -> retrying.delay().toMillis();
      case Outcome.Released released -> released.delay().toMillis();
      default -> 0;
    };
  }
}
