package dev.berth.value;

/**
 * Text of others for a log or a terminal. Control characters can clear a screen, fill a clipboard
 * or forge a line, and marks of direction make text read as another: both are shown as escapes,
 * such as {@code \u005cu001b}.
 */
public final class Printable {

  private static final int ZERO_WIDTH_NON_JOINER = 0x200C;
  private static final int ZERO_WIDTH_JOINER = 0x200D;

  private Printable() {}

  /** As one line: line breaks and tabs are shown as escapes too. */
  public static String line(String text) {
    return escaped(text, "");
  }

  /** As lines: line breaks and tabs stay. */
  public static String lines(String text) {
    return escaped(text, "\n\t");
  }

  private static String escaped(String text, String kept) {
    if (text.codePoints().noneMatch(each -> acts(each) && kept.indexOf(each) < 0)) {
      return text;
    }
    StringBuilder shown = new StringBuilder(text.length() + 16);
    text.codePoints()
        .forEach(each -> {
          if (acts(each) && kept.indexOf(each) < 0) {
            escape(each, shown);
          } else {
            shown.appendCodePoint(each);
          }
        });
    return shown.toString();
  }

  private static void escape(int character, StringBuilder shown) {
    switch (character) {
      case '\n' -> shown.append("\\n");
      case '\r' -> shown.append("\\r");
      case '\t' -> shown.append("\\t");
      default -> {
        for (char half : Character.toChars(character)) {
          shown.append("\\u%04x".formatted((int) half));
        }
      }
    }
  }

  /** Whether it does something instead of being seen; two joiners are part of words and emoji. */
  private static boolean acts(int character) {
    return switch (Character.getType(character)) {
      case Character.CONTROL,
          Character.LINE_SEPARATOR,
          Character.PARAGRAPH_SEPARATOR,
          Character.SURROGATE ->
          true;
      case Character.FORMAT -> character != ZERO_WIDTH_JOINER && character != ZERO_WIDTH_NON_JOINER;
      default -> false;
    };
  }
}
