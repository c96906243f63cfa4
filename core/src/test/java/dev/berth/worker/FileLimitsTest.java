package dev.berth.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.berth.limit.Limit;
import dev.berth.limit.LimitKey;
import dev.berth.task.LimitRule;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** A worker registers the numbers of its file in place of those of its code. */
class FileLimitsTest extends WorkerFixture {

  private static final LimitKey TEXTS = LimitKey.ofType("text");
  private static final LimitKey PER_LENGTH = LimitKey.ruleOf("text", "length");
  private static final Limit API = Limit.of("api", 4).pace(Duration.ofSeconds(1));
  private static final Limit GPU = Limit.of("gpu", 3);

  @Test
  void theFileCountsBeforeTheCode() {
    builder
        .settings(
            Map.of(
                "limits.type/text", "7", "limits.limit/api", "9", "limits.type/text/length", "2"))
        .handle(
            TEXT.limit(5).limitPer("length", String::length, 1).under(API, 2).under(GPU),
            (text, task) -> {});
    start();

    assertThat(registered())
        .containsExactlyInAnyOrder(
            new LimitRule(TEXTS, 5).inFile(7),
            new LimitRule(PER_LENGTH, 1).inFile(2),
            new LimitRule(API.key(), 9, 2, API.pace(), true),
            new LimitRule(GPU.key(), 3));
  }

  @Test
  void aTypeHasALimitThatOnlyTheFileSays() {
    builder
        .settings(
            Map.of("limits.type/text", "7", "limits.type/other", "1", "limits.limit/unused", "1"))
        .handle(TEXT, (text, task) -> {});
    start();

    assertThat(registered()).containsExactly(new LimitRule(TEXTS, 7).inFile(7));
  }

  @Test
  void aWrongNumberIsAnErrorAtStart() {
    builder.settings(Map.of("limits.type/text", "-1")).handle(TEXT, (text, task) -> {});

    assertThatThrownBy(builder::start)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "limits.type/text must be a whole number of slots from 0 to 1000000, but it is \"-1\"");
  }

  private List<LimitRule> registered() {
    return store.opened().getFirst().types().getFirst().limits();
  }
}
