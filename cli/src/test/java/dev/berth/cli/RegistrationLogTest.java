package dev.berth.cli;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.berth.Berth;
import dev.berth.limit.LimitKey;
import dev.berth.task.TaskType;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** A worker says in the log where its code and what was there do not agree. */
class RegistrationLogTest {

  private static final TaskType<String, Void> MAIL = TaskType.of("mail", String.class);

  private final Logger logger = (Logger) LoggerFactory.getLogger("dev.berth.worker.Sessions");
  private final ListAppender<ILoggingEvent> log = new ListAppender<>();
  private final Level level = logger.getLevel();
  private final Berth berth = Berth.open("memory:");

  @BeforeEach
  void listen() {
    logger.setLevel(Level.INFO);
    logger.setAdditive(false);
    log.start();
    logger.addAppender(log);
  }

  @AfterEach
  void close() {
    logger.detachAppender(log);
    logger.setAdditive(true);
    logger.setLevel(level);
    berth.close();
  }

  @Test
  void twoVersionsOfTheCodeThatDisagreeAreTold() {
    work(MAIL.limit(3));
    work(MAIL.limit(3));
    assertThat(said()).isEmpty();

    work(MAIL.limit(5));
    work(MAIL);

    assertThat(said())
        .containsExactly(
            "INFO Limit type/mail: 5 slots, was 3; the newest registration counts",
            "INFO Limit type/mail: no limit, was 5; the newest registration counts");
  }

  @Test
  void aNumberThatWasSetByHandIsTold() {
    work(MAIL.limit(3));
    berth.limits().set(LimitKey.ofType("mail"), 1);
    work(MAIL.limit(3));

    assertThat(said())
        .containsExactly(
            "INFO Limit type/mail: the code says 3 slots, but it is overridden by hand with 1"
                + " slot");
  }

  private void work(TaskType<String, Void> type) {
    berth.worker().handle(type, (text, task) -> {}).start().close();
  }

  private List<String> said() {
    return log.list.stream()
        .map(event -> event.getLevel() + " " + event.getFormattedMessage())
        .toList();
  }
}
