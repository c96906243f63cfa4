package dev.berth.value;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PrintableTest {

  @ParameterizedTest
  @CsvSource({
    "0007, bell",
    "001b, escape",
    "007f, delete",
    "009b, C1: control sequence",
    "009d, C1: operating system command",
    "061c, Arabic letter mark",
    "200e, left-to-right mark",
    "202e, right-to-left override",
    "2028, line separator",
    "2029, paragraph separator",
    "2066, left-to-right isolate",
    "feff, zero width no-break space",
    "d83d, half of a surrogate pair"
  })
  void whatActsInsteadOfBeingSeenIsEscaped(String code, String name) {
    String text = "a" + (char) Integer.parseInt(code, 16) + "b";
    assertThat(Printable.line(text)).as(name).isEqualTo("a\\u" + code + "b");
    assertThat(Printable.lines(text)).as(name).isEqualTo("a\\u" + code + "b");
  }

  @Test
  void lineBreaksAndTabsStayInLinesOnly() {
    assertThat(Printable.lines("a\n\tb\r\n")).isEqualTo("a\n\tb\\r\n");
    assertThat(Printable.line("a\n\tb\r\n")).isEqualTo("a\\n\\tb\\r\\n");
  }

  @Test
  void invisibleLettersBeyondTheFirstPlaneAreEscapedToo() {
    assertThat(Printable.line("x\udb40\udc41")).isEqualTo("x\\udb40\\udc41");
  }

  @Test
  void whatIsSeenStays() {
    String text = "žluťoučký \"'\\ 名前 \ud83d\udea2 \ud83d\udc69\u200d\ud83d\udcbb می\u200cخواهم";
    assertThat(Printable.line(text)).isEqualTo(text);
  }
}
