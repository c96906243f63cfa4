package dev.berth.value;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.berth.limit.Limit;
import dev.berth.limit.LimitKey;
import dev.berth.limit.Need;
import dev.berth.limit.Slots;
import dev.berth.store.Command;
import dev.berth.store.SessionRequest;
import dev.berth.task.Due;
import dev.berth.task.LimitRule;
import dev.berth.task.Outcome;
import dev.berth.task.Retry;
import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import java.util.Random;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class DurationsTest {

  private static final LimitKey KEY = LimitKey.shared("gpu");

  /** Everything that takes a time and stores it. */
  static Stream<Named<Consumer<Duration>>> doors() {
    return Stream.of(
        door("fixed delay", time -> Retry.fixed(5, time)),
        door("first delay", time -> Retry.exponential(5, time, Duration.ofHours(1))),
        door("longest delay", time -> Retry.exponential(5, Duration.ZERO, time)),
        door("delay of a retry", time -> new Outcome.Retrying("no", time)),
        door("delay of a release", Outcome.Released::new),
        door("delay of a submit", Due::after),
        door("a number by hand", time -> new Command.SetLimit(KEY, 1, time)),
        door("lease", DurationsTest::sessionOf));
  }

  static Stream<Named<Consumer<Duration>>> paces() {
    return Stream.of(
        door("pace", Limit.of("gpu", 1)::pace),
        door("pace of a need", time -> new Need(KEY, 1, 1, time)),
        door("pace of a rule", time -> new LimitRule(KEY, 1, time)));
  }

  private static Named<Consumer<Duration>> door(String name, Consumer<Duration> into) {
    return Named.of(name, into);
  }

  private static void sessionOf(Duration lease) {
    new SessionRequest("w", List.of(), List.of("default"), lease, 1);
  }

  @ParameterizedTest
  @MethodSource("doors")
  void aTimeThatWouldOverflowIsRefusedWithASentence(Consumer<Duration> into) {
    into.accept(Durations.LONGEST);
    for (Duration wrong :
        List.of(
            Durations.LONGEST.plusNanos(1),
            Duration.ofSeconds(Long.MAX_VALUE, 999_999_999),
            Duration.ofNanos(-1),
            Duration.ofSeconds(Long.MIN_VALUE))) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> into.accept(wrong))
          .withMessageEndingWith(" 365000 days, not " + wrong);
    }
  }

  @ParameterizedTest
  @MethodSource("paces")
  void aPaceIsADayAtMost(Consumer<Duration> into) {
    into.accept(Slots.LONGEST_PACE);
    for (Duration wrong :
        List.of(
            Slots.LONGEST_PACE.plusNanos(1),
            Duration.ofSeconds(Long.MAX_VALUE, 999_999_999),
            Duration.ofNanos(-1))) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> into.accept(wrong))
          .withMessageStartingWith("The pace of the limit ")
          .withMessageEndingWith(", not " + wrong);
    }
  }

  @Test
  void theLongestDelayIsADelay() {
    assertThat(
            Retry.fixed(5, Durations.LONGEST)
                .delayAfter(4, new IllegalStateException(), new Random(1)))
        .isEqualTo(OptionalLong.of(Durations.LONGEST.toMillis()));
  }
}
