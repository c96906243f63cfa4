package dev.berth.schedule;

import java.time.LocalDateTime;
import java.util.Optional;
import java.util.ServiceLoader;

/** Reads Unix cron expressions; found by {@link ServiceLoader}, so that core needs no library. */
public interface CronReader {

  /**
   * The times that an expression of five fields names.
   *
   * @throws IllegalArgumentException if it is none; the message says what is wrong with it
   */
  Times read(String expression);

  /** Times of the calendar and the clock on the wall, of no zone. */
  interface Times {

    /** The first that is later; empty where there is none for years. */
    Optional<LocalDateTime> after(LocalDateTime time);
  }

  /** The reader found on the class path; berth-cron brings one. */
  static CronReader installed() {
    return ServiceLoader.load(CronReader.class)
        .findFirst()
        .orElseThrow(() ->
            new IllegalStateException(
                "Nothing on the class path reads cron expressions: add the dependency"
                    + " dev.berth:berth-cron, or use a fixed rate"));
  }
}
