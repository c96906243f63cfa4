package dev.berth.cli;

import dev.berth.value.Printable;
import java.io.PrintWriter;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Prints for people. Whatever comes from a task is shown and never obeyed: no control character
 * gets to the terminal, and a value has no line break, so that it cannot look like a line of ours.
 */
final class PlainWriter extends PrintWriter {

  PlainWriter(PrintWriter to) {
    super(to);
  }

  /** One line, whatever is in it. */
  @Override
  public void println(@Nullable String line) {
    super.println(Printable.line(String.valueOf(line)));
  }

  /** Text of our own, in which line breaks are meant. */
  @Override
  public void print(@Nullable String text) {
    super.print(Printable.lines(String.valueOf(text)));
  }

  @Override
  public PrintWriter format(String format, @Nullable Object... values) {
    return super.format(format, Stream.of(values).map(PlainWriter::plain).toArray());
  }

  @Override
  public PrintWriter printf(String format, @Nullable Object... values) {
    return format(format, values);
  }

  private static @Nullable Object plain(@Nullable Object value) {
    return value == null || value instanceof Number ? value : Printable.line(value.toString());
  }
}
