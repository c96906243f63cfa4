package dev.berth.cli;

import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.json.JsonWriteFeature;
import tools.jackson.databind.json.JsonMapper;

/** JSON for programs that read what the command answers. */
final class Json {

  /** Plain ASCII, since the terminal's encoding may not be able to carry more. */
  private static final JsonMapper MAPPER =
      JsonMapper.builder().enable(JsonWriteFeature.ESCAPE_NON_ASCII).build();

  private Json() {}

  static String line(Object value) {
    return MAPPER.writeValueAsString(value);
  }

  /** An object to be filled, which keeps the order of its fields. */
  static Fields object() {
    return new Fields();
  }

  /** JSON that is already text, such as a payload, as a value inside other JSON. */
  static @Nullable Object embedded(@Nullable String json) {
    if (json == null) {
      return null;
    }
    try {
      return MAPPER.readTree(json);
    } catch (JacksonException e) {
      return json;
    }
  }

  /** Text that must be JSON, or a failure that says what it was meant for. */
  static String checked(String what, String json) {
    try {
      return MAPPER.writeValueAsString(MAPPER.readTree(json));
    } catch (JacksonException e) {
      throw new IllegalArgumentException(
          "%s is not JSON: %s".formatted(what, e.getOriginalMessage()), e);
    }
  }

  /** The fields of an object, in order. */
  static final class Fields {

    private final Map<String, @Nullable Object> all = new LinkedHashMap<>();

    Fields put(String name, @Nullable Object value) {
      all.put(name, value);
      return this;
    }

    Map<String, @Nullable Object> map() {
      return all;
    }
  }
}
