package dev.berth.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The thread that hears wake-ups: nobody would start it again. */
class HintListenerTest {

  private static final String HINT = "select pg_notify('berth', 'ready 1 5 default')";

  private final TestDatabase database = TestDatabase.on(Servers.NEWEST);
  private final List<Hint> heard = new CopyOnWriteArrayList<>();

  @AfterEach
  void close() {
    database.close();
  }

  @Test
  void itOutlivesAnythingThatIsThrown() {
    AtomicInteger failures = new AtomicInteger();
    try (HintListener listener =
        listener(hint -> {
          if (failures.getAndIncrement() == 0) {
            throw new InternalError("made up");
          }
          heard.add(hint);
        })) {
      await().until(listener::hears);
      database.run(HINT);
      await().until(() -> failures.get() == 1 && !listener.hears());

      await().until(listener::hears);
      database.run(HINT);
      await().until(() -> heard.size() == 1);
    }
  }

  @Test
  void itSaysWhenItDoesNotHear() {
    HintListener listener = listener(heard::add);
    await().until(listener::hears);
    listener.close();

    assertThat(listener.hears()).isFalse();
  }

  private HintListener listener(Consumer<Hint> consumer) {
    return new HintListener(new Database(database.pool()), consumer, pid -> false, () -> {});
  }
}
