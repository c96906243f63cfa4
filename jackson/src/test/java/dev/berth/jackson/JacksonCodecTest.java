package dev.berth.jackson;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.berth.task.Codec;
import dev.berth.task.CodecException;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.json.JsonMapper;

class JacksonCodecTest {

  enum Color {
    RED,
    GREEN
  }

  record Item(String name, int count, BigDecimal price) {}

  record Order(
      UUID id,
      Instant at,
      LocalDate day,
      Duration pause,
      Optional<String> note,
      Color color,
      List<Item> items,
      Map<String, Item> byName) {}

  record Empty() {}

  record Positive(int number) {
    Positive {
      if (number < 1) {
        throw new IllegalArgumentException("number must be at least 1");
      }
    }
  }

  static class Bean {
    public String text = "";
    public boolean flag;
  }

  static class Broken {
    public String getText() {
      throw new IllegalStateException("not loaded");
    }
  }

  static class Cycle {
    public Cycle self = this;
  }

  private final Codec codec = new JacksonCodec();

  @Test
  void isInstalledByBeingOnTheClassPath() {
    assertThat(Codec.installed()).isInstanceOf(JacksonCodec.class);
  }

  @Test
  void recordsAndTheirPartsComeBackAsTheyWere() {
    Item item = new Item("žluť 🚢 \" \\ \0", 3, new BigDecimal("1.10"));
    Order order =
        new Order(
            UUID.randomUUID(),
            Instant.parse("2030-01-01T12:00:00.123456Z"),
            LocalDate.of(2030, 1, 2),
            Duration.ofMillis(1500),
            Optional.empty(),
            Color.GREEN,
            List.of(item),
            Map.of("a", item));

    assertThat(codec.decode(codec.encode(order), Order.class)).isEqualTo(order);
  }

  @Test
  void timesAreWrittenAsText() {
    assertThat(codec.encode(Map.of("at", Instant.parse("2030-01-01T00:00:00Z"))))
        .isEqualTo("{\"at\":\"2030-01-01T00:00:00Z\"}");
    assertThat(codec.encode(Map.of("wait", Duration.ofSeconds(90))))
        .isEqualTo("{\"wait\":\"PT1M30S\"}");
  }

  @Test
  void controlCharactersAreEscaped() {
    assertThat(codec.encode("a\0b")).isEqualTo("\"a\\u0000b\"");
  }

  @Test
  void plainClassesAndValuesWork() {
    Bean bean = new Bean();
    bean.text = "hello";

    assertThat(codec.decode(codec.encode(bean), Bean.class).text).isEqualTo("hello");
    assertThat(codec.decode(codec.encode("text"), String.class)).isEqualTo("text");
    assertThat(codec.decode(codec.encode(5), Integer.class)).isEqualTo(5);
    assertThat(codec.decode(codec.encode(new Empty()), Empty.class)).isEqualTo(new Empty());
  }

  @Test
  void fieldsOfANewerProgramAreIgnored() {
    assertThat(codec.decode("{\"number\":1,\"added\":{\"later\":[]}}", Positive.class))
        .isEqualTo(new Positive(1));
  }

  @Test
  void aMissingTextIsNullAndAMissingOptionalIsEmpty() {
    Order order = codec.decode("{}", Order.class);

    assertThat(order.id()).isNull();
    assertThat(order.note()).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "{}|field \"count\" is missing or null, but int is needed",
        "{\"count\":null}|field \"count\" is missing or null, but int is needed",
        "{\"count\":\"many\"}|field \"count\" is a text, but int is needed",
        "{\"count\":1.5}|field \"count\" is a number with a fraction, but int is needed",
        "{\"count\":[]}|field \"count\" is a list, but int is needed",
        "{\"count\":{\"a\":1}}|field \"count\" is an object, but int is needed",
        "{\"count\":1,\"name\":{}}|field \"name\" is an object, but String is needed",
        "[]|the whole value is a list, but Item is needed",
        "\"text\"|the whole value is a text, but Item is needed",
        "null|the JSON is null",
      })
  void whatDoesNotFitIsNamed(String json, String problem) {
    assertThatThrownBy(() -> codec.decode(json, Item.class))
        .isInstanceOf(CodecException.class)
        .hasMessage("Cannot read Item: " + problem);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "{\"items\":[{\"count\":1},{\"count\":true}]}|field \"items[1].count\" is true or false,"
            + " but int is needed",
        "{\"byName\":{\"a\":{\"count\":[]}}}|field \"byName.a.count\" is a list, but int is needed",
        "{\"color\":\"BLUE\"}|field \"color\" is a text, but one of RED, GREEN is needed",
        "{\"at\":\"yesterday\"}|field \"at\" is a text, but Instant is needed",
        "{\"id\":\"7\"}|field \"id\" is a text, but UUID is needed",
      })
  void nestedFieldsAreNamedByTheirPath(String json, String problem) {
    assertThatThrownBy(() -> codec.decode(json, Order.class))
        .isInstanceOf(CodecException.class)
        .hasMessage("Cannot read Order: " + problem);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "{\"number\": oops}|it is not valid JSON at line 1, column 12",
        "{\"number\":1|it is not valid JSON at line 1, column 12",
        "{\"number\":1} {}|there is something after the end of the value",
        "``|the JSON is empty",
      })
  void brokenJsonIsSaidToBeBroken(String json, String problem) {
    assertThatThrownBy(() -> codec.decode(json, Positive.class))
        .isInstanceOf(CodecException.class)
        .hasMessageStartingWith("Cannot read Positive: " + problem);
  }

  @Test
  void whatAConstructorRefusesIsSaid() {
    assertThatThrownBy(() -> codec.decode("{\"number\":0}", Positive.class))
        .isInstanceOf(CodecException.class)
        .hasMessage("Cannot read Positive: the whole value was refused: number must be at least 1");
  }

  @Test
  void theMessageDoesNotRepeatThePayload() {
    String secret = "0123456789".repeat(1000);

    assertThatThrownBy(() -> codec.decode("{\"count\":\"" + secret + "\"}", Item.class))
        .isInstanceOf(CodecException.class)
        .satisfies(e -> assertThat(e.getMessage()).hasSizeLessThan(200).doesNotContain("0123"));
  }

  @Test
  void whatCannotBeWrittenIsNamed() {
    assertThatThrownBy(() -> codec.encode(new Broken()))
        .isInstanceOf(CodecException.class)
        .hasMessageStartingWith("Cannot write Broken: field \"text\" cannot be written")
        .hasMessageContaining("not loaded");
    assertThatThrownBy(() -> codec.encode(new Cycle()))
        .isInstanceOf(CodecException.class)
        .hasMessageStartingWith("Cannot write Cycle: field \"self");
  }

  @Test
  void aMapperOfYourOwnDecides() {
    Codec own =
        new JacksonCodec(
            JsonMapper.builder().enable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES).build());

    assertThatThrownBy(() -> own.decode("{\"number\":1,\"x\":1}", Positive.class))
        .isInstanceOf(CodecException.class)
        .hasMessageContaining("field \"x\"");
  }
}
