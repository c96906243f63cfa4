package dev.berth.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TableTest {

  @Test
  void alignsTextLeftAndNumbersRight() {
    var out = new StringWriter();
    new Table()
        .text("NAME")
        .number("COUNT")
        .text("")
        .row("a", 5, "paused")
        .row("longer", "1,234,567", "")
        .print(new PrintWriter(out));
    assertThat(out.toString().lines())
        .containsExactly(
            "NAME        COUNT", //
            "a               5  paused",
            "longer  1,234,567");
  }

  @ParameterizedTest
  @CsvSource({"1200, 1.2 ms", "99900, 99.9 ms", "250400, 250 ms", "12345678, 12.3 s"})
  void writesDurationsWithTheDigitsThatMatter(long micros, String text) {
    assertThat(Text.duration(Duration.ofNanos(micros * 1_000))).isEqualTo(text);
  }
}
