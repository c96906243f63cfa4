package dev.berth.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.berth.store.StoreException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class DatabaseUrlTest {

  @ParameterizedTest
  @CsvSource({
    "jdbc:postgresql://h/d?user=u, jdbc:postgresql://h/d?user=u",
    "postgres://h/d, jdbc:postgresql://h/d",
    "postgresql://h, jdbc:postgresql://h/",
    "postgres://u@h:6432/d, jdbc:postgresql://h:6432/d?user=u",
    "postgres://u:p@h/d?sslmode=require, jdbc:postgresql://h/d?sslmode=require&user=u&password=p",
    "postgres://u:p%40:%26@h/d, jdbc:postgresql://h/d?user=u&password=p%40%3A%26",
    "postgres://u@[::1]/d, jdbc:postgresql://[::1]/d?user=u",
  })
  void readsBothForms(String given, String jdbc) {
    assertThat(DatabaseUrl.jdbc(given)).isEqualTo(jdbc);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "mysql://u:secret@h/d",
        "u:secret@h/d",
        "postgres://u:secret^@h/d",
        "postgres:///d",
        "shop",
        ""
      })
  void saysHowToWriteOneAndRepeatsNoPassword(String wrong) {
    assertThatThrownBy(() -> DatabaseUrl.jdbc(wrong))
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("write jdbc:postgresql://")
        .hasMessageNotContaining("secret");
  }

  @Test
  void namesWhatWasGiven() {
    assertThatThrownBy(() -> DatabaseUrl.jdbc("shop"))
        .hasMessageStartingWith("\"shop\" is not the URL of a PostgreSQL database");
  }
}
