package dev.berth;

import dev.berth.limit.Need;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** No slot became free while the caller waited. */
public final class AcquireTimeoutException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  AcquireTimeoutException(Need need, Duration waited) {
    super(
        "Got no "
            + (need.weight() == 1 ? "slot" : need.weight() + " slots")
            + " of "
            + need.key()
            + " within "
            + TimeUnit.MILLISECONDS.convert(waited)
            + " ms: limits().find(key) says who holds them");
  }
}
