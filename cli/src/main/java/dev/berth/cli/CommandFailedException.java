package dev.berth.cli;

/** A command that could not do what it was asked, with the sentence for its user. */
final class CommandFailedException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  CommandFailedException(String sentence) {
    super(sentence);
  }
}
