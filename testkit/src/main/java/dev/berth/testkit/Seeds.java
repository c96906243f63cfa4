package dev.berth.testkit;

import java.util.Random;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/**
 * Seeds for random runs. Each build draws others and prints them, for those of yesterday find what
 * they found yesterday. {@code -Dberth.seed=NUMBER} replays one.
 */
public final class Seeds {

  private static final int LARGEST = 1_000_000_000; // so that a person can type it

  private Seeds() {}

  /** Of so many runs; of one run where a seed is to be replayed. */
  public static LongStream of(String runs, int many) {
    long[] seeds = choose(Long.getLong("berth.seed"), many);
    System.out.println(
        LongStream.of(seeds)
            .mapToObj(Long::toString)
            .collect(Collectors.joining(", ", "Seeds of " + runs + ": ", "")));
    return LongStream.of(seeds);
  }

  /** What one run draws from. */
  public static Random random(String run) {
    return new Random(of(run, 1).findFirst().orElseThrow());
  }

  static long[] choose(@Nullable Long replayed, int many) {
    return replayed != null
        ? new long[] {replayed}
        : ThreadLocalRandom.current().longs(0, LARGEST).distinct().limit(many).toArray();
  }

  /** A run failed: says how to see it again. */
  public static AssertionError failed(long seed, String where, Throwable cause) {
    return new AssertionError(
        "Seed %d, %s (-Dberth.seed=%1$d replays it)".formatted(seed, where), cause);
  }
}
