package dev.berth.limit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LimitKeyTest {

  @Test
  void saysWhatItLimits() {
    assertThat(LimitKey.ofType("send_email")).hasToString("type/send_email");
    assertThat(LimitKey.ruleOf("send_email", "user")).hasToString("type/send_email/user");
    assertThat(LimitKey.ofTypePer("send_email", "user", "7")).hasToString("type/send_email/user/7");
    assertThat(LimitKey.shared("gpu")).hasToString("limit/gpu");
  }

  @Test
  void aSlashOrPercentSignInsideANameIsEscaped() {
    assertThat(LimitKey.shared("a/b")).hasToString("limit/a%2Fb");
    assertThat(LimitKey.shared("100%")).hasToString("limit/100%25");
    assertThat(LimitKey.ofTypePer("a/b", "c/d", "%2F")).hasToString("type/a%2Fb/c%2Fd/%252F");
    assertThat(LimitKey.shared("höchste Stufe*2")).hasToString("limit/höchste Stufe*2");
  }

  @ParameterizedTest
  @ValueSource(strings = {"topic/", "schedule/"})
  void aTopicOrAScheduleHasANameOf200Characters(String root) {
    for (String character : List.of("a", "%2F", "%25", "\uD840\uDC00")) {
      if (character.length() * 200 < 490) {
        assertThat(new LimitKey(root + character.repeat(200)).value()).startsWith(root);
      }
      assertThatThrownBy(() -> new LimitKey(root + character.repeat(201)))
          .isInstanceOf(IllegalArgumentException.class);
    }
    assertThatThrownBy(() -> new LimitKey(root + "a".repeat(201)))
        .hasMessageContaining("the name of a topic or a schedule has at most 200 characters");
    assertThat(new LimitKey("limit/" + "a".repeat(300)).value()).hasSize(306);
  }

  @Test
  void differentNamesHaveDifferentKeys() {
    List<String> names =
        List.of(
            "a", "a/b", "a%2Fb", "a%252Fb", "b", "limit", "type", "limit/a", "type/a", "%", "%2");
    List<LimitKey> keys = new ArrayList<>();
    for (String first : names) {
      keys.add(LimitKey.shared(first));
      keys.add(LimitKey.ofType(first));
      for (String second : names) {
        keys.add(LimitKey.ruleOf(first, second));
        names.forEach(third -> keys.add(LimitKey.ofTypePer(first, second, third)));
      }
    }

    assertThat(keys).doesNotHaveDuplicates();
    Set<String> values = new HashSet<>();
    assertThat(keys).allMatch(key -> values.add(key.value()));
  }

  @Test
  void theRuleCarriesTheNumberOfItsKeys() {
    LimitKey user = LimitKey.ofTypePer("send/email", "user", "a/7");
    assertThat(user.keyed()).isTrue();
    assertThat(user.rule()).isEqualTo(LimitKey.ruleOf("send/email", "user"));

    for (LimitKey own :
        List.of(
            LimitKey.ofType("send_email"),
            LimitKey.shared("gpu"),
            LimitKey.ruleOf("send_email", "user"))) {
      assertThat(own.keyed()).isFalse();
      assertThat(own.rule()).isEqualTo(own);
    }
  }

  @Test
  void isOrderedFromMostToLeastShared() {
    List<LimitKey> ordered =
        List.of(
            LimitKey.shared("api"),
            LimitKey.shared("gpu"),
            LimitKey.ofType("a"),
            LimitKey.ofType("z"),
            LimitKey.ruleOf("a", "user"),
            LimitKey.ofTypePer("a", "user", "1"),
            LimitKey.ofTypePer("a", "user", "2"));

    assertThat(Stream.of(3, 6, 0, 5, 1, 4, 2).map(ordered::get).sorted()).isEqualTo(ordered);
  }

  @Test
  void aKeyReadsBackAsItWasWritten() {
    for (LimitKey key :
        List.of(LimitKey.shared("a/b%"), LimitKey.ofTypePer("a b", "c", "höchste/1"))) {
      assertThat(new LimitKey(key.value())).isEqualTo(key);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "gpu",
        "limit",
        "limit/",
        "limit/ ",
        "limit/a/b",
        "type",
        "type/",
        "type//a",
        "type/a//b",
        "type/a/b/c/d",
        "other/a",
        "/limit/a",
        "Limit/a"
      })
  void whatIsNoKeyIsRefused(String value) {
    assertThatThrownBy(() -> new LimitKey(value))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "\"%s\" is not a limit key: expected limit/NAME, topic/NAME, schedule/NAME, type/TYPE,"
                + " type/TYPE/NAME or type/TYPE/NAME/VALUE",
            value);
  }

  @ParameterizedTest
  @ValueSource(strings = {"limit/100%", "limit/a%2fb", "limit/a%20b", "type/a/b/%"})
  void aPercentSignThatEscapesNothingIsRefused(String value) {
    assertThatThrownBy(() -> new LimitKey(value))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("write %25 for a percent sign, %2F for a slash");
  }

  @Test
  void blankAndUnreadablePartsAreRefused() {
    assertThatThrownBy(() -> LimitKey.shared(" ")).hasMessageContaining("blank");
    assertThatThrownBy(() -> LimitKey.ofTypePer("a", "user", "")).hasMessageContaining("blank");
    assertThatThrownBy(() -> LimitKey.shared("a\nb")).hasMessageContaining("control character");
    assertThatThrownBy(() -> LimitKey.shared("a\0b")).hasMessageContaining("control character");
  }

  @Test
  void aKeyHasAtMost500Characters() {
    assertThat(LimitKey.shared("x".repeat(494)).value()).hasSize(500);
    assertThatThrownBy(() -> LimitKey.shared("x".repeat(495)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("has 501 characters, which take 501 bytes; at most 500 and 1500");
  }
}
