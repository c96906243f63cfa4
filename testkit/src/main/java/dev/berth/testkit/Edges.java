package dev.berth.testkit;

import dev.berth.task.Due;
import java.time.Duration;
import java.time.Instant;
import java.util.Random;

/** Draws values that nobody has thought of: the ends of what there is, and what is beyond. */
public final class Edges {

  private static final String FOUR_BYTES = "\uD840\uDC00";

  private final Random random;

  public Edges(Random random) {
    this.random = random;
  }

  /** A name that could be meant, half of the time; else text that is none. */
  public String name() {
    return random.nextBoolean() ? pick("t", "mail", "default", "a", "w", "s") : text();
  }

  /** Text that may be empty, blank, too long, of four bytes a character or a word that is known. */
  public String text() {
    return switch (random.nextInt(9)) {
      case 0 ->
          pick(
              "",
              " ",
              "\t",
              "\u3000",
              "\u0085",
              "a\0b",
              "\0",
              "%",
              "/",
              "*",
              "'",
              "\"",
              "{",
              "\\",
              "NaN",
              "infinity",
              "\u202Ea",
              "\uFEFF",
              "\uFFFF",
              "a b*2");
      case 1 -> FOUR_BYTES.repeat(pick(1, 199, 200, 201, 1 + random.nextInt(201)));
      case 2 ->
          pick("limit/", "type/t/", "topic/", "schedule/", "type/t/user/", "")
              + han(random.nextInt(520));
      case 3 -> "a".repeat(random.nextInt(3_000));
      case 4 ->
          pick(
              "limit/a",
              "limit/b",
              "type/t",
              "type/mail",
              "type/t/user",
              "type/t/user/1",
              "topic/a",
              "schedule/a");
      case 5 ->
          pick(
              "scan",
              "plain",
              "hop",
              "lanes",
              "freed",
              "finished",
              "failed",
              "retry",
              "released",
              "cancelled",
              "halt",
              "continue",
              "cancel_rest",
              "skip",
              "once",
              "all",
              "none",
              "queue",
              "cancel_older",
              "refuse",
              "0 3 * * *",
              "UTC");
      default -> pick("t", "mail", "default", "a", "w", "s");
    };
  }

  /** As {@link #text()}, also text that no encoding has: half of a surrogate pair. */
  public String half() {
    return random.nextInt(6) > 0
        ? text()
        : pick("\uD840", "\uDC00", "a\uD840b", "\uDC00\uD840", FOUR_BYTES.repeat(200) + "\uD840");
  }

  public Instant instant() {
    return pick(
        Instant.MAX,
        Instant.MIN,
        Due.LATEST,
        Due.LATEST.plusNanos(1),
        Instant.EPOCH,
        Instant.parse("0001-01-01T00:00:00Z"));
  }

  public Duration duration() {
    return pick(
        Duration.ofSeconds(Long.MAX_VALUE, 999_999_999),
        Duration.ofSeconds(Long.MIN_VALUE),
        Duration.ofMillis(Long.MAX_VALUE),
        Duration.ofDays(365_000),
        Duration.ofDays(365_000).plusNanos(1),
        Duration.ofDays(1),
        Duration.ofMillis(500),
        Duration.ofNanos(1),
        Duration.ofNanos(-1),
        Duration.ZERO);
  }

  public int number() {
    return random.nextInt(3) > 0
        ? 1 + random.nextInt(9)
        : pick(Integer.MAX_VALUE, Integer.MIN_VALUE, 0, -1, 1_000_000, 1_000_001, 1_000, 32_768);
  }

  public long large() {
    return pick(0L, 1L, -1L, 1_000L, Long.MAX_VALUE, Long.MIN_VALUE);
  }

  public double part() {
    return pick(
        Double.NaN,
        Double.POSITIVE_INFINITY,
        Double.NEGATIVE_INFINITY,
        Double.MIN_VALUE,
        Double.MAX_VALUE,
        -0.0,
        0.5,
        1.0,
        2.0);
  }

  /** Whether to do what is done one time in so many. */
  public boolean one(int of) {
    return random.nextInt(of) == 0;
  }

  public int below(int bound) {
    return random.nextInt(bound);
  }

  @SafeVarargs
  public final <T> T pick(T... from) {
    return from[random.nextInt(from.length)];
  }

  /** Characters of three bytes that do not compress. */
  private String han(int length) {
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < length; i++) {
      text.appendCodePoint(19_968 + random.nextInt(20_000));
    }
    return text.toString();
  }
}
