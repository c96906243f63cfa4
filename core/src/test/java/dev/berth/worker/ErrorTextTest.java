package dev.berth.worker;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import org.junit.jupiter.api.Test;

class ErrorTextTest {

  @Test
  void saysClassMessageFramesAndCauses() {
    String text =
        ErrorText.of(new IllegalStateException("cannot send", new IOException("connection reset")));
    assertThat(text)
        .startsWith("java.lang.IllegalStateException: cannot send\n\tat dev.berth.worker.ErrorText")
        .contains("\nCaused by: java.io.IOException: connection reset\n\tat ");
  }

  @Test
  void isBounded() {
    assertThat(ErrorText.of(new IllegalStateException("x".repeat(1_000_000))))
        .hasSizeLessThanOrEqualTo(4_000)
        .endsWith("…");
  }

  @Test
  void holdsNothingADatabaseRefuses() {
    assertThat(ErrorText.clean("a\0b\ud83dc")).isEqualTo("a\uFFFDb\uFFFDc");
  }

  @Test
  void survivesAnExceptionThatCannotSpeak() {
    Throwable mute =
        new RuntimeException() {
          private static final long serialVersionUID = 1L;

          @Override
          public String getMessage() {
            throw new IllegalStateException();
          }
        };
    assertThat(ErrorText.of(mute)).startsWith(mute.getClass().getName());
  }

  @Test
  void survivesCausesInACircle() {
    Exception a = new Exception("a");
    Exception b = new Exception("b", a);
    a.initCause(b);
    assertThat(ErrorText.of(a)).contains("Caused by: java.lang.Exception: b");
  }
}
