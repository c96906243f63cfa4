package dev.berth.postgres;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.berth.Berth;
import dev.berth.store.StoreException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.URLEncoder;
import java.util.Objects;
import java.util.Properties;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.Driver;

class PostgresUrlTest {

  @ParameterizedTest
  @CsvSource({
    "jdbc:postgresql://h/d?user=u, jdbc:postgresql://h/d?user=u",
    "postgres://h/d, jdbc:postgresql://h/d",
    "postgresql://h, jdbc:postgresql://h/",
    "postgres://u@h:6432/d, jdbc:postgresql://h:6432/d?user=u",
    "postgres://u:p@h/d?sslmode=require, jdbc:postgresql://h/d?sslmode=require&user=u&password=p",
    "postgres://u:p%40:%26@h/d, jdbc:postgresql://h/d?user=u&password=p%40%3A%26",
    "postgres://u@[::1]/d, jdbc:postgresql://[::1]/d?user=u",
    "postgres://a%3Ab:p@h/d, jdbc:postgresql://h/d?user=a%3Ab&password=p",
    "postgres://u:a+b%20c%25@h/d, jdbc:postgresql://h/d?user=u&password=a%2Bb+c%25",
    "postgres://u:%C3%A4%2F%3F%23@h/d, jdbc:postgresql://h/d?user=u&password=%C3%A4%2F%3F%23",
    "postgres://h/a+b%20c?options=-c%20x+y, jdbc:postgresql://h/a%2Bb%20c?options=-c%20x%2By",
  })
  void readsBothForms(String given, String jdbc) {
    assertThat(PostgresUrl.jdbc(given)).isEqualTo(jdbc);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "mysql://u:secret@h/d",
        "u:secret@h/d",
        "postgres://u:secret^@h/d",
        "postgres:///d",
        "postgres://u:secret@h:123456/d",
        "jdbc:postgresql://h:port/d?user=u&password=secret",
        "shop",
        ""
      })
  void saysHowToWriteOneAndRepeatsNoPassword(String wrong) {
    assertThatThrownBy(() -> PostgresUrl.jdbc(wrong))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("write jdbc:postgresql://")
        .hasMessageNotContaining("secret");
  }

  /** As the driver reads it. */
  @ParameterizedTest
  @ValueSource(strings = {"plain", "a@b:c/d?e#f&g=h+i j%k", "ä€𝄞", "100%25", "'\"\\"})
  void theDriverFindsUserPasswordAndDatabaseAsTheyAre(String text) {
    String escaped = URLEncoder.encode(text, UTF_8).replace("+", "%20");
    String url = "postgres://%s:%s@h/%s".formatted(escaped, escaped, escaped);

    Properties read = Objects.requireNonNull(Driver.parseURL(PostgresUrl.jdbc(url), null));

    assertThat(read.getProperty("user")).isEqualTo(text);
    assertThat(read.getProperty("password")).isEqualTo(text);
    assertThat(read.getProperty("PGDBNAME")).isEqualTo(text);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "postgres://u:secret^@h/d",
        "postgresql://u:se/secret@h/d",
        "postgres://u:secret@h:123456/d",
        "postgres://u:secret@nowhere.invalid/d",
        "postgres://nowhere.invalid/d?user=u&password=secret",
        "jdbc:postgresql://h:port/d?user=u&password=secret",
        "mysql://u:secret@h/d",
        "mysql://u:a/secret@h/d",
        "u:secret@h/d",
      })
  void noErrorOfAnOpenRepeatsThePassword(String url) {
    assertThatThrownBy(() -> Berth.open(url))
        .isInstanceOf(StoreException.class)
        .satisfies(error -> {
          StringWriter all = new StringWriter();
          error.printStackTrace(new PrintWriter(all));
          assertThat(all.toString()).doesNotContain("secret");
        });
  }

  @Test
  void opensAStoreByTheAddressOfPsql() {
    Properties server = Objects.requireNonNull(Driver.parseURL(Servers.NEWEST.database(), null));
    String url =
        "postgres://%s:%s@%s:%s/%s"
            .formatted(
                server.getProperty("user"),
                server.getProperty("password"),
                server.getProperty("PGHOST"),
                server.getProperty("PGPORT"),
                server.getProperty("PGDBNAME"));

    try (Berth berth = Berth.open(url)) {
      assertThat(berth.queues().list()).isEmpty();
    }
  }

  @Test
  void namesWhatWasGiven() {
    assertThatThrownBy(() -> PostgresUrl.jdbc("shop"))
        .hasMessageStartingWith("\"shop\" is not the URL of a PostgreSQL database");
  }
}
