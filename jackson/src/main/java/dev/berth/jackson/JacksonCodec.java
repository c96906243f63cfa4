package dev.berth.jackson;

import dev.berth.task.Codec;
import dev.berth.task.CodecException;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.json.JsonMapper;

/**
 * Payloads and results as JSON, with Jackson. Reads what a newer program wrote: unknown fields are
 * ignored. Does not guess: a number that is missing or does not fit is an error, not a zero.
 */
public final class JacksonCodec implements Codec {

  private final JsonMapper mapper;

  /** A codec with the settings described above. */
  public JacksonCodec() {
    this(
        JsonMapper.builder()
            .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
            .enable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES)
            .disable(DeserializationFeature.ACCEPT_FLOAT_AS_INT)
            .annotationIntrospector(new RequiredPrimitives())
            .build());
  }

  /** A codec with a mapper of your own. */
  public JacksonCodec(JsonMapper mapper) {
    this.mapper = mapper;
  }

  @Override
  public String encode(Object value) {
    try {
      return mapper.writeValueAsString(value);
    } catch (JacksonException e) {
      String problem = "Cannot write " + name(value.getClass()) + ": " + Problem.ofWriting(e);
      throw new CodecException(problem, e);
    }
  }

  @Override
  public <T> T decode(String json, Class<T> as) {
    T value;
    try {
      value = mapper.readValue(json, as);
    } catch (JacksonException e) {
      throw new CodecException("Cannot read " + name(as) + ": " + Problem.ofReading(e), e);
    }
    if (value == null) {
      throw new CodecException("Cannot read " + name(as) + ": the JSON is null", null);
    }
    return value;
  }

  /** The class without its package, which tells more than the empty name of an anonymous one. */
  private static String name(Class<?> type) {
    String simple = type.getSimpleName();
    return simple.isEmpty() ? type.getName() : simple;
  }
}
