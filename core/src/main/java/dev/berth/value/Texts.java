package dev.berth.value;

/**
 * The rule for text that is stored: whole characters, and no NUL. Databases refuse the one, and an
 * encoder turns half of a surrogate pair into a question mark: what comes back would be another
 * text.
 */
public final class Texts {

  /** Stands for what could not be kept, in text that is meant for people. */
  private static final char REPLACEMENT = '\uFFFD';

  /** Of what is said of a task: why it failed, how far it is. More does not help a person. */
  public static final int LONGEST = 16_000;

  private Texts() {}

  /**
   * Returns the text, or says what is wrong with it.
   *
   * @param what begins the sentence, such as "The payload of a task"
   */
  public static String check(String what, String text) {
    int at = firstUnstorable(text, 0);
    if (at >= 0) {
      throw refused(what, text, at);
    }
    return text;
  }

  /**
   * The same for text by which something is called, which the sentence repeats.
   *
   * @param what such as "queue"
   */
  public static String checkName(String what, String name) {
    int at = firstUnstorable(name, 0);
    if (at >= 0) {
      throw refused("The " + what + " \"" + clean(name) + "\"", name, at);
    }
    return name;
  }

  /** For people, such as the message of an exception: what cannot be kept is replaced. */
  public static String clean(String text) {
    int at = firstUnstorable(text, 0);
    if (at < 0) {
      return text;
    }
    StringBuilder cleaned = new StringBuilder(text);
    for (; at >= 0; at = firstUnstorable(text, at + 1)) {
      cleaned.setCharAt(at, REPLACEMENT);
    }
    return cleaned.toString();
  }

  /** The same, and no longer than this: the end is cut between characters. */
  public static String clean(String text, int longest) {
    if (text.length() <= longest) {
      return clean(text);
    }
    boolean inAPair = Character.isHighSurrogate(text.charAt(longest - 2));
    return clean(text.substring(0, inAPair ? longest - 2 : longest - 1) + "…");
  }

  private static IllegalArgumentException refused(String what, String text, int at) {
    return new IllegalArgumentException(
        what
            + (text.charAt(at) == '\0'
                ? " contains a NUL character, at index " + at
                : " contains half of a surrogate pair, U+%04X at index %d: cut text between whole characters"
                    .formatted((int) text.charAt(at), at)));
  }

  /** Where the first such character is from here on; -1: nowhere. */
  private static int firstUnstorable(String text, int from) {
    for (int i = from; i < text.length(); i++) {
      char each = text.charAt(i);
      if (each == '\0') {
        return i;
      }
      if (Character.isSurrogate(each)) {
        if (!Character.isHighSurrogate(each)
            || i + 1 == text.length()
            || !Character.isLowSurrogate(text.charAt(i + 1))) {
          return i;
        }
        i++;
      }
    }
    return -1;
  }
}
