package dev.berth.limit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatNoException;

import dev.berth.store.Submission;
import dev.berth.task.Due;
import dev.berth.task.Names;
import dev.berth.task.TaskId;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** What is submitted fits into every index, counted in bytes. */
class LaneBytesTest {

  private static final String HAN = "字".repeat(480);
  private static final String LONGEST = "\uD840\uDC00".repeat(200); // four bytes each

  @Test
  void limitsThatNoIndexCanKeepAreRefused() {
    Lane lane = lane("limit/" + HAN, "type/t/" + "user/" + HAN);
    assertThatExceptionOfType(IllegalArgumentException.class)
        .isThrownBy(() -> submission("t", "default", lane))
        .withMessageContaining("its queue, type and limits take 29")
        .withMessageContaining("at most 2600 are allowed");
  }

  @Test
  void oneKeyIsBoundedToo() {
    assertThatExceptionOfType(IllegalArgumentException.class)
        .isThrownBy(() -> new LimitKey("limit/" + "\uD840\uDC00".repeat(400)))
        .withMessageContaining("has 406 characters, which take 1606 bytes; at most 500 and 1500");
  }

  @Test
  void namesAreCountedAsSqlCountsThem() {
    assertThat(Names.check("queue", LONGEST)).isEqualTo(LONGEST);
    assertThatExceptionOfType(IllegalArgumentException.class)
        .isThrownBy(() -> Names.check("queue", LONGEST + "a"))
        .withMessageContaining("has 201 characters");
    assertThatNoException().isThrownBy(() -> submission(LONGEST, LONGEST, Lane.OPEN));
  }

  @Test
  void theLimitOfTheTypeHasRoomInAnyCase() {
    assertThatNoException()
        .isThrownBy(() -> submission(LONGEST, LONGEST, lane("limit/" + "a".repeat(180))));
    assertThatExceptionOfType(IllegalArgumentException.class)
        .isThrownBy(() -> submission(LONGEST, LONGEST, lane("limit/" + "a".repeat(200))));
  }

  /** In the name of a lane a space and a star take three bytes. */
  @Test
  void theLimitOfTheTypeIsCountedAsItStandsInTheLane() {
    String stars = "* ".repeat(100);
    Lane lane = lane("limit/" + "a".repeat(480), "limit/" + "b".repeat(480), "limit/c");
    assertThatNoException().isThrownBy(() -> submission("x".repeat(200), "q".repeat(200), lane));
    assertThatNoException().isThrownBy(() -> submission(stars, "q".repeat(200), lane));
    Lane longer = lane(limits(480, 480, 480, 300));
    assertThatNoException().isThrownBy(() -> submission("x".repeat(200), "q".repeat(200), longer));
    assertThatExceptionOfType(IllegalArgumentException.class)
        .isThrownBy(() -> submission(stars, "q".repeat(200), longer))
        .withMessageContaining("its queue, type and limits take 2777 bytes");
  }

  private static String[] limits(int... lengths) {
    return IntStream.range(0, lengths.length)
        .mapToObj(i -> "limit/" + i + "a".repeat(lengths[i]))
        .toArray(String[]::new);
  }

  private static Lane lane(String... keys) {
    return new Lane(List.of(keys).stream().map(k -> new Need(new LimitKey(k), 1, 1)).toList());
  }

  private static Submission submission(String type, String queue, Lane lane) {
    return new Submission(TaskId.next(), false, type, queue, 5, Due.NOW, "{}", Map.of(), lane);
  }
}
