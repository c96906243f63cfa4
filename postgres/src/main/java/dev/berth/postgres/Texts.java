package dev.berth.postgres;

/** Texts meant for people, as PostgreSQL can hold them. */
final class Texts {

  private Texts() {}

  /** PostgreSQL has no place for the character zero, which error messages may contain. */
  static String storable(String text) {
    return text.indexOf('\0') < 0 ? text : text.replace('\0', '\uFFFD');
  }
}
