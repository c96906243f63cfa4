package dev.berth.cli;

/** Keeps passwords out of sentences that repeat what was typed. */
final class Secrets {

  private Secrets() {}

  /** The sentence with the passwords of all URLs among the arguments left out. */
  static String hidden(String sentence, String... arguments) {
    String hidden = sentence;
    for (String argument : arguments) {
      // of --option=URL both the whole and the value may be repeated
      hidden = hidden.replace(argument, withoutPassword(argument));
      String value = argument.substring(argument.indexOf('=') + 1);
      hidden = hidden.replace(value, withoutPassword(value));
    }
    return hidden;
  }

  private static String withoutPassword(String url) {
    return url.replaceAll("(?is)(password=)[^&]*", "$1…").replaceAll("(?s)//.*@", "//…@");
  }
}
