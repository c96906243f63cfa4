package dev.berth.view;

/** One worker's presence in the store; never reused. */
public record SessionId(String value) {

  @Override
  public String toString() {
    return value;
  }
}
