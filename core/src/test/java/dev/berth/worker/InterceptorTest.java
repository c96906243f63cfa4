package dev.berth.worker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.task.Outcome;
import dev.berth.task.TaskId;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Test;

/** What interceptors see, in which order, and what becomes of an attempt when one goes wrong. */
class InterceptorTest extends WorkerFixture {

  private final Queue<String> seen = new ConcurrentLinkedQueue<>();

  private Interceptor named(String name) {
    return (type, task, handler) -> {
      seen.add(name + " before " + type.name());
      handler.run();
      seen.add(name + " after");
    };
  }

  @Test
  void theFirstIsTheOutermost() {
    builder
        .interceptor(named("a"))
        .answer(
            ECHO,
            (payload, task) -> {
              seen.add("handler");
              return payload;
            })
        .interceptor(named("b"));
    TaskId id = store.add(ECHO, "x");
    start();

    assertThat(outcome(id)).isEqualTo(new Outcome.Finished("x"));
    assertThat(seen)
        .containsExactly("a before echo", "b before echo", "handler", "b after", "a after");
  }

  @Test
  void whatItThrowsBeforeTheHandlerFailsTheAttempt() {
    builder
        .interceptor((type, task, handler) -> {
          throw new IllegalStateException("no tenant");
        })
        .handle(TEXT, (payload, task) -> seen.add("handler"));
    TaskId id = store.add(TEXT, "x");
    start();

    List<Outcome> all = outcomes(id, 3);
    assertThat(all).hasSize(3);
    assertThat(((Outcome.Failed) all.getLast()).error()).contains("no tenant");
    assertThat(seen).isEmpty();
  }

  @Test
  void whatItThrowsAfterTheHandlerFailsTheAttemptToo() {
    assertFailed(
        (type, task, handler) -> {
          handler.run();
          throw new AssertionError("too late");
        },
        "too late");
  }

  @Test
  void aHandlerThatIsNotRunHasFailed() {
    assertFailed((type, task, handler) -> {}, "An interceptor did not run the handler");
  }

  @Test
  void aHandlerIsRunOnce() {
    assertFailed(
        (type, task, handler) -> {
          handler.run();
          handler.run();
        },
        "An interceptor ran the handler twice");
  }

  @Test
  void aFailureOfTheHandlerIsNotSwallowed() {
    builder
        .interceptor((type, task, handler) -> {
          try {
            handler.run();
          } catch (IllegalStateException e) {
            seen.add("caught " + e.getMessage());
          }
        })
        .handle(
            TEXT,
            (payload, task) -> {
              throw new IllegalStateException("broken");
            });
    TaskId id = store.add(TEXT, "x");
    start();

    assertThat(((Outcome.Failed) outcomes(id, 3).getLast()).error()).contains("broken");
    assertThat(seen).contains("caught broken");
  }

  private void assertFailed(Interceptor interceptor, String error) {
    builder.interceptor(interceptor).handle(TEXT, (payload, task) -> {});
    TaskId id = store.add(TEXT, "x");
    start();

    assertThat(((Outcome.Failed) outcomes(id, 3).getLast()).error()).contains(error);
  }
}
