package dev.berth.mutants;

/** What became of a run of a test. */
enum Verdict {
  GREEN,
  RED,
  /** No such test ran, or it did not end: nothing was shown. */
  BROKEN;

  /** Above the codes by which a JVM says that it did not start, or died of an exception. */
  private static final int FIRST_EXIT = 40;

  static Verdict ofExit(int code) {
    int at = code - FIRST_EXIT;
    return at >= 0 && at < BROKEN.ordinal() ? values()[at] : BROKEN;
  }

  int exit() {
    return FIRST_EXIT + ordinal();
  }
}
