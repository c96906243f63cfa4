package dev.berth.postgres;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * What a notification says; the texts are those of {@code berth.wake_ready}, {@code wake_due} and
 * {@code submit_step}.
 */
sealed interface Hint {

  String CHANNEL = "berth";

  /** No task has a place or a time beyond it: that of the year 9999. */
  long LATEST = 253_402_214_400_000_000L;

  /** Anything may have happened anywhere: hints were lost. */
  Hint ANYWHERE = new Ready("", Ready.ANY, Instant.EPOCH);

  String queue();

  String payload();

  /**
   * Work can be claimed, none of it before this position.
   *
   * @param priority {@value #ANY} for any
   */
  record Ready(String queue, int priority, Instant position) implements Hint {

    static final int ANY = -1;

    /** Not a priority: limited work, whatever its priority. */
    static final int LANES = -2;

    private static final int HIGHEST = 9;

    /** Whether it is a priority, or one of the words above. */
    static boolean known(int priority) {
      return priority >= LANES && priority <= HIGHEST;
    }

    @Override
    public String payload() {
      return "ready " + micros(position) + " " + priority + " " + queue;
    }
  }

  /** Work will be due after this time. */
  record Later(String queue, Duration in) implements Hint {

    /** Zero would say that the work can be claimed, and nobody would sweep for it. */
    private static final Duration SOONEST = Duration.ofMillis(1);

    public Later {
      in = in.compareTo(SOONEST) < 0 ? SOONEST : in;
    }

    @Override
    public String payload() {
      return "due " + TimeUnit.SECONDS.toMicros(in.toSeconds()) + " " + queue;
    }
  }

  /**
   * Steps were submitted in a transaction that could not look whose turn it is: a sweep has to.
   *
   * @param at when, by the clock of the store; none of them before
   */
  record Steps(String queue, Instant at) implements Hint {
    @Override
    public String payload() {
      return "step " + micros(at) + " " + queue;
    }
  }

  /** After which time there is something to do; zero: now, and without a sweep. */
  default Duration in() {
    return switch (this) {
      case Ready ready -> Duration.ZERO;
      case Later later -> later.in();
      case Steps steps -> Later.SOONEST;
    };
  }

  /** Empty if it is none of ours. Anybody may notify: what could do harm is none of ours. */
  static Optional<Hint> parse(String payload) {
    try {
      if (payload.startsWith("ready ")) {
        String[] parts = payload.split(" ", 4);
        int priority = Integer.parseInt(parts[2]);
        return Ready.known(priority)
            ? instant(parts[1]).map(position -> new Ready(parts[3], priority, position))
            : Optional.empty();
      }
      if (payload.startsWith("due ")) {
        String[] parts = payload.split(" ", 3);
        long micros = Math.max(0, Long.parseLong(parts[1])); // what was due before is due now
        return micros <= LATEST
            ? Optional.of(new Later(parts[2], Duration.of(micros, ChronoUnit.MICROS)))
            : Optional.empty();
      }
      if (payload.startsWith("step ")) {
        String[] parts = payload.split(" ", 3);
        return instant(parts[1]).map(at -> new Steps(parts[2], at));
      }
    } catch (NumberFormatException | ArrayIndexOutOfBoundsException e) {
      // not one of ours
    }
    return Optional.empty();
  }

  private static long micros(Instant at) {
    return Math.clamp(ChronoUnit.MICROS.between(Instant.EPOCH, at), 0, LATEST);
  }

  private static Optional<Instant> instant(String micros) {
    long since = Long.parseLong(micros);
    return since < 0 || since > LATEST
        ? Optional.empty()
        : Optional.of(Instant.EPOCH.plus(since, ChronoUnit.MICROS));
  }

  /** Of two hints about the same line, the one that serves both. */
  static Hint earlier(Hint one, Hint other) {
    return switch (one) {
      case Ready a when other instanceof Ready b -> a.position().isAfter(b.position()) ? b : a;
      case Later a when other instanceof Later b -> a.in().compareTo(b.in()) > 0 ? b : a;
      case Steps a when other instanceof Steps b -> a.at().isAfter(b.at()) ? b : a;
      default -> one;
    };
  }
}
