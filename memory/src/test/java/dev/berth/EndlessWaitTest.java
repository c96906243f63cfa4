package dev.berth;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.berth.limit.Limit;
import dev.berth.memory.MemoryStore;
import dev.berth.task.Codec;
import dev.berth.task.TaskId;
import dev.berth.task.TaskType;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** To wait for ever is a time like any other, and one in the past is over. */
@Timeout(30)
class EndlessWaitTest {

  private static final Duration FOR_EVER = ChronoUnit.FOREVER.getDuration();
  private static final TaskType<String, Void> MAIL = TaskType.of("mail", String.class);
  private static final Limit GPU = Limit.of("gpu", 1);

  private final Berth berth = Berth.on(MemoryStore.create(), new Plain());

  @AfterEach
  void close() {
    berth.close();
  }

  @Test
  void ofATask() throws InterruptedException {
    TaskId id = berth.submit(MAIL, "x");
    assertThatExceptionOfType(AwaitTimeoutException.class)
        .isThrownBy(() -> berth.await(MAIL, id, FOR_EVER.negated()));
    try (var worker = berth.worker().handle(MAIL, (text, task) -> {}).start()) {
      assertThat(berth.await(MAIL, id, FOR_EVER)).isNull();
      assertThat(worker.stats().failed()).isZero();
    }
  }

  @Test
  void ofASlot() throws InterruptedException {
    try (Slot slot = berth.limits().acquire(GPU, FOR_EVER)) {
      assertThatExceptionOfType(AcquireTimeoutException.class)
          .isThrownBy(() -> berth.limits().acquire(GPU, FOR_EVER.negated()));
      assertThat(slot.isLive()).isTrue();
    }
  }

  /** Text as it is. */
  private record Plain() implements Codec {
    @Override
    public String encode(Object value) {
      return value.toString();
    }

    @Override
    public <T> T decode(String json, Class<T> as) {
      return as.cast(json);
    }
  }
}
