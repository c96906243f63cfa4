package dev.berth.task;

import dev.berth.value.Texts;

/** The rule for names of types and queues: anything readable, up to 200 characters. */
public final class Names {

  private static final int LONGEST = 200;

  private Names() {}

  /** Returns the name, or says what is wrong with it. */
  public static String check(String what, String name) {
    if (name.isBlank()) {
      throw new IllegalArgumentException("A " + what + " needs a name, but it was blank");
    }
    int length = name.codePointCount(0, name.length());
    if (length > LONGEST) {
      throw new IllegalArgumentException(
          "The "
              + what
              + " name \""
              + name.substring(0, name.offsetByCodePoints(0, 40))
              + "…\" has "
              + length
              + " characters; at most "
              + LONGEST
              + " are allowed");
    }
    if (name.chars().anyMatch(Character::isISOControl)) {
      throw new IllegalArgumentException(
          "The "
              + what
              + " name \""
              + name.replaceAll("\\p{Cntrl}", "?")
              + "\" contains a control character");
    }
    return Texts.checkName(what, name);
  }
}
