package dev.berth.jackson;

import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JacksonException.Reference;
import tools.jackson.core.JsonToken;
import tools.jackson.core.TokenStreamLocation;
import tools.jackson.core.exc.StreamReadException;
import tools.jackson.databind.exc.MismatchedInputException;
import tools.jackson.databind.exc.ValueInstantiationException;

/**
 * Says in one sentence what Jackson found wrong and at which field. Values are left out: they may
 * be long, and they may be private.
 */
final class Problem {

  private Problem() {}

  static String ofReading(JacksonException e) {
    return switch (e) {
      case ValueInstantiationException refused when refused.getCause() != null ->
          at(e, "was refused") + ": " + firstLine(refused.getCause().getMessage());
      case MismatchedInputException more when isTrailing(more) ->
          "there is something after the end of the value" + where(more.getLocation());
      case MismatchedInputException empty when isEmpty(empty) -> "the JSON is empty";
      case MismatchedInputException mismatch when mismatch.getTargetType() != null ->
          at(e, found(mismatch.getCurrentToken()))
              + (", but " + needed(mismatch.getTargetType()) + " is needed");
      case StreamReadException broken -> "it is not valid JSON" + where(broken.getLocation());
      default -> at(e, "cannot be read") + ": " + firstLine(e.getOriginalMessage());
    };
  }

  static String ofWriting(JacksonException e) {
    Throwable cause = e.getCause() == null ? e : e.getCause();
    String message =
        cause instanceof JacksonException inner ? inner.getOriginalMessage() : cause.toString();
    return at(e, "cannot be written") + ": " + firstLine(message);
  }

  /** Jackson tells these two apart from other mismatches by their text alone. */
  private static boolean isTrailing(MismatchedInputException e) {
    return e.getOriginalMessage().startsWith("Trailing token");
  }

  private static boolean isEmpty(MismatchedInputException e) {
    return e.getOriginalMessage().startsWith("No content");
  }

  private static String at(JacksonException e, String what) {
    String field = path(e.getPath());
    return (field.isEmpty() ? "the whole value" : "field \"" + field + "\"") + " " + what;
  }

  private static String path(List<Reference> path) {
    StringBuilder text = new StringBuilder();
    for (Reference step : path) {
      if (step.getPropertyName() == null) {
        text.append('[').append(step.getIndex()).append(']');
      } else {
        text.append(text.isEmpty() ? "" : ".").append(step.getPropertyName());
      }
    }
    return text.toString();
  }

  private static String found(@Nullable JsonToken token) {
    return switch (token) {
      case null -> "is not as expected";
      case VALUE_NULL, END_OBJECT, NOT_AVAILABLE -> "is missing or null";
      case START_OBJECT, PROPERTY_NAME -> "is an object";
      case START_ARRAY, END_ARRAY -> "is a list";
      case VALUE_STRING -> "is a text";
      case VALUE_NUMBER_INT -> "is a whole number";
      case VALUE_NUMBER_FLOAT -> "is a number with a fraction";
      case VALUE_TRUE, VALUE_FALSE -> "is true or false";
      case VALUE_EMBEDDED_OBJECT -> "is an embedded object";
    };
  }

  private static String needed(Class<?> type) {
    if (type.isEnum()) {
      return Arrays.stream(type.getEnumConstants())
          .map(Object::toString)
          .collect(Collectors.joining(", ", "one of ", ""));
    }
    return type.getSimpleName();
  }

  private static String where(@Nullable TokenStreamLocation location) {
    return location == null
        ? ""
        : " at line " + location.getLineNr() + ", column " + location.getColumnNr();
  }

  private static String firstLine(@Nullable String message) {
    return message == null ? "no reason given" : message.lines().findFirst().orElse("");
  }
}
