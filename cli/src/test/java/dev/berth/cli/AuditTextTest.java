package dev.berth.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.limit.LimitKey;
import dev.berth.view.LimitAudit;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Instant;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class AuditTextTest {

  private static final Instant AT = Instant.parse("2026-03-01T12:00:00Z");
  private static final LimitKey GPU = LimitKey.shared("gpu");

  @Test
  // the width of each cell from all cells would take hours
  @Timeout(value = 20, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  void ofARuleTheWorstKeysAreShownHoweverManyThereAre() {
    List<LimitAudit> keys =
        IntStream.range(0, 100_000)
            .mapToObj(i -> audit(user(i), i % 7, 5, i == 4_711 || i == 4_712))
            .toList();
    List<String> lines = print(keys).lines().toList();

    assertThat(lines).hasSize(15);
    assertThat(lines.get(1)).startsWith("type/mail/user/4712 ").endsWith("OVER");
    assertThat(lines.get(2)).startsWith("type/mail/user/4711 ").endsWith("OVER");
    assertThat(lines.subList(3, 11)).allSatisfy(line -> assertThat(line).contains("  6      5  "));
    assertThat(lines.get(11))
        .isEqualTo("Of 100,000 keys of type/mail/user the 10 worst are shown; --json has all.");
    assertThat(lines.get(13)).isEqualTo("2 limits were exceeded.");
  }

  @Test
  void fewKeysAreAllShownAndSoAreAllOtherLimits() {
    List<LimitAudit> limits =
        IntStream.range(0, 30).mapToObj(i -> audit(LimitKey.shared("l" + i), 1, 1, false)).toList();
    assertThat(print(limits).lines()).hasSize(34);
    assertThat(print(IntStream.range(0, 10).mapToObj(i -> audit(user(i), 1, 1, false)).toList()))
        .contains("user/0 ", "user/9 ")
        .doesNotContain("worst");
  }

  @Test
  void theVerdictSaysWhatItForgives() {
    assertThat(print(List.of(forgiving(0))))
        .endsWith(
            """
            No limit was exceeded.
            No task started over a number that had been lowered less than a second before; that is forgiven.
            """);
    assertThat(print(List.of(forgiving(1), forgiving(2))))
        .endsWith(
            "3 tasks started over a number that had been lowered less than a second before; that is"
                + " forgiven.\n");
  }

  private static LimitKey user(int number) {
    return LimitKey.ofTypePer("mail", "user", Integer.toString(number));
  }

  private static LimitAudit audit(LimitKey key, int peak, int slots, boolean over) {
    return new LimitAudit(key, over ? peak + slots + 1 : peak, slots, AT, over, 0);
  }

  private static LimitAudit forgiving(int starts) {
    return new LimitAudit(GPU, 4, 4, AT, false, starts);
  }

  private static String print(List<LimitAudit> limits) {
    StringWriter text = new StringWriter();
    AuditCommand.print(limits, new PrintWriter(text));
    return text.toString();
  }
}
