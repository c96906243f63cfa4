package dev.berth.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.LoggingEvent;
import ch.qos.logback.core.OutputStreamAppender;
import ch.qos.logback.core.read.ListAppender;
import dev.berth.Berth;
import dev.berth.TaskFailedException;
import dev.berth.task.Outcome;
import dev.berth.task.Retry;
import dev.berth.task.TaskId;
import dev.berth.task.TaskType;
import dev.berth.worker.Decision;
import dev.berth.worker.WorkerBuilder;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeoutException;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.slf4j.LoggerFactory;
import org.slf4j.MDC;

/** A worker says in the log which attempts failed, and why. */
@Timeout(60)
class FailureLogTest {

  private static final TaskType<String, Void> MAIL =
      TaskType.of("mail", String.class).retry(Retry.fixed(2, Duration.ofMillis(1)));

  private final Logger logger = (Logger) LoggerFactory.getLogger("dev.berth.task");
  private final ListAppender<ILoggingEvent> log =
      new ListAppender<>() {
        @Override
        protected void append(ILoggingEvent event) {
          event.prepareForDeferredProcessing(); // its context is that of this thread
          super.append(event);
        }
      };
  private final Berth berth = Berth.open("memory:");

  @BeforeEach
  void listen() {
    logger.setLevel(Level.DEBUG);
    logger.setAdditive(false);
    log.start();
    logger.addAppender(log);
  }

  @AfterEach
  void close() {
    logger.detachAppender(log);
    logger.setAdditive(true);
    logger.setLevel(null);
    berth.close();
  }

  @Test
  void oneLineForARetryAndTheExceptionForTheLast() {
    TaskId id = fail(MAIL, w -> w.handle(MAIL, (text, task) -> refuse("no " + task.attempt())));

    assertThat(lines())
        .containsExactly(
            "WARN Task %s (mail) failed in attempt 1 and is tried again in 0.001s: java.lang.IllegalStateException: no 1"
                .formatted(id),
            "ERROR Task %s (mail) failed for good in attempt 2: java.lang.IllegalStateException: no 2"
                .formatted(id));
    assertThat(log.list.getFirst().getThrowableProxy()).isNull();
    assertThat(log.list.getLast().getThrowableProxy().getMessage()).isEqualTo("no 2");
  }

  @Test
  void typeIdAndAttemptAreInTheContextOfTheLineAndOfTheHandler() {
    List<Map<String, String>> handlers = new ArrayList<>();
    TaskId id =
        fail(
            MAIL,
            w ->
                w.handle(
                    MAIL,
                    (text, task) -> {
                      handlers.add(MDC.getCopyOfContextMap());
                      refuse("no");
                    }));

    List<Map<String, String>> expected = List.of(context(id, "1"), context(id, "2"));
    assertThat(handlers).isEqualTo(expected);
    assertThat(log.list).extracting(ILoggingEvent::getMDCPropertyMap).isEqualTo(expected);
  }

  @Test
  void theLevelsCanBeChosenForAType() {
    fail(
        MAIL,
        w ->
            w.handle(MAIL, (text, task) -> refuse("no"))
                .logFailures(MAIL, org.slf4j.event.Level.DEBUG, org.slf4j.event.Level.INFO));

    assertThat(log.list)
        .extracting(ILoggingEvent::getLevel)
        .containsExactly(Level.DEBUG, Level.INFO);
  }

  @Test
  void aTypeIsMutedWhereAllLoggersAre() {
    Logger mail = (Logger) LoggerFactory.getLogger("dev.berth.task.mail");
    mail.setLevel(Level.ERROR);
    try {
      fail(MAIL, w -> w.handle(MAIL, (text, task) -> refuse("no")));
    } finally {
      mail.setLevel(null);
    }
    assertThat(log.list).extracting(ILoggingEvent::getLevel).containsExactly(Level.ERROR);
  }

  @Test
  void whatAHandlerThrowsCannotForgeALine() {
    TaskType<String, Void> once = MAIL.retry(Retry.never());
    fail(once, w -> w.handle(once, (text, task) -> refuse("a\nERROR all is lost \u001b[2J")));

    assertThat(lines()).singleElement().asString().endsWith(": a\\nERROR all is lost \\u001b[2J");
  }

  @Test
  void timeoutsUnreadablePayloadsAndOwnDecisionsAreFailuresToo() {
    TaskType<String, Void> slow = TaskType.of("slow", String.class).retry(Retry.never());
    TaskType<Integer, Void> number = TaskType.of("number", Integer.class);
    fail(
        slow.timeout(Duration.ofMillis(5)),
        w ->
            w.handle(
                slow.timeout(Duration.ofMillis(5)), (text, task) -> new CountDownLatch(1).await()));
    fail(TaskType.of("number", String.class), w -> w.handle(number, (text, task) -> {}));
    fail(slow, w -> w.decide(slow, (text, task) -> Decision.of(new Outcome.Failed("42P01\nx"))));

    assertThat(lines())
        .satisfiesExactly(
            line ->
                assertThat(line)
                    .endsWith(TimeoutException.class.getName() + ": timed out after 5 ms"),
            line -> assertThat(line).contains("(number) failed for good", "Cannot read Integer"),
            line -> assertThat(line).endsWith("failed for good in attempt 1: 42P01"));
  }

  @Test
  void whatIsReleasedCancelledOrFinishedIsNoFailure() throws InterruptedException {
    TaskId done = berth.submit(MAIL, "done");
    TaskId stopped = berth.submit(MAIL, "stopped");
    CountDownLatch running = new CountDownLatch(1);
    try (var worker =
        berth
            .worker()
            .stopTimeout(Duration.ZERO)
            .handle(
                MAIL,
                (text, task) -> {
                  if (text.equals("stopped")) {
                    running.countDown();
                    new CountDownLatch(1).await();
                  }
                })
            .start()) {
      berth.await(MAIL, done, Duration.ofSeconds(30));
      running.await();
      worker.stop();
    }
    assertThat(berth.find(stopped)).isPresent();
    assertThat(log.list).isEmpty();
  }

  @Test
  void whatTheCommandLogsDoesNotActOnTheTerminal() {
    var root = (Logger) LoggerFactory.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);
    var stderr = (OutputStreamAppender<ILoggingEvent>) root.getAppender("stderr");
    var event =
        new LoggingEvent(
            "", root, Level.WARN, "a\u001b[2J\u202e", new Exception("b\u009b2J\nc"), null);

    assertThat(new String(stderr.getEncoder().encode(event), UTF_8))
        .contains(" a?[2J?\njava.lang.Exception: b?2J\nc\n\tat ")
        .doesNotContain("\u001b", "\u009b", "\u202e");
  }

  @Test
  void theFailuresThatTheDemoMakesDisturbNobody() {
    assertThat(Cli.berth("demo", "--store", "memory", "--tasks", "100").exit()).isZero();

    assertThat(log.list).isNotEmpty().extracting(ILoggingEvent::getLevel).containsOnly(Level.DEBUG);
  }

  private static void refuse(String why) {
    throw new IllegalStateException(why);
  }

  private static Map<String, String> context(TaskId id, String attempt) {
    return Map.of("berth.type", "mail", "berth.id", id.toString(), "berth.attempt", attempt);
  }

  /** Runs a task until it has failed for good, and the worker is stopped. */
  private TaskId fail(TaskType<String, Void> type, UnaryOperator<WorkerBuilder> handling) {
    TaskId id = berth.submit(type, "x");
    try (var worker = handling.apply(berth.worker()).start()) {
      assertThatExceptionOfType(TaskFailedException.class)
          .isThrownBy(() -> berth.await(type, id, Duration.ofSeconds(30)));
      worker.stop();
    }
    return id;
  }

  private List<String> lines() {
    return log.list.stream()
        .map(event -> event.getLevel() + " " + event.getFormattedMessage())
        .toList();
  }
}
