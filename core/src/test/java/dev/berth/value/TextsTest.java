package dev.berth.value;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.berth.limit.LimitKey;
import dev.berth.store.Command;
import dev.berth.store.SessionRequest;
import dev.berth.task.OnFailure;
import dev.berth.task.Outcome;
import dev.berth.task.Step;
import dev.berth.task.SubmitOptions;
import dev.berth.task.TaskId;
import dev.berth.task.TaskType;
import dev.berth.view.TaskFilter;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class TextsTest {

  private static final String HALF = "ship \ud83d";
  private static final TaskType<String, Void> TYPE = TaskType.of("send", String.class);

  /** Everything that takes text and stores it, or looks for it. */
  static Stream<Named<Consumer<String>>> doors() {
    return Stream.of(
        door("type", text -> TaskType.of(text, String.class)),
        door("queue of a type", TYPE::queue),
        door("queue of a submit", SubmitOptions.DEFAULT::queue),
        door("id", text -> TaskId.named("send", text)),
        door("limit of a type", LimitKey::ofType),
        door("name of a key", text -> LimitKey.ruleOf("send", text)),
        door("value of a key", text -> LimitKey.ofTypePer("send", "user", text)),
        door("shared limit", LimitKey::shared),
        door("topic", LimitKey::ofTopic),
        door("limit of a schedule", LimitKey::ofSchedule),
        door("workflow", text -> new Step(text, "pack", OnFailure.HALT)),
        door("step", text -> new Step("order", text, OnFailure.HALT)),
        door("schedule to pause", Command.PauseSchedule::new),
        door("schedule to resume", Command.ResumeSchedule::new),
        door("schedule to run", text -> new Command.RunSchedule(text, TaskId.next())),
        door("schedule to remove", Command.RemoveSchedule::new),
        door("workflow to retry", Command.RetryWorkflow::new),
        door("step to skip", text -> new Command.SkipStep("order", text)),
        door("queue to pause", Command.PauseQueue::new),
        door("type to list", TaskFilter.ALL::type),
        door("queue to list", TaskFilter.ALL::queue),
        door("worker", TextsTest::sessionOf),
        door("result", Outcome.Finished::new));
  }

  private static Named<Consumer<String>> door(String name, Consumer<String> into) {
    return Named.of(name, into);
  }

  private static void sessionOf(String worker) {
    new SessionRequest(worker, List.of(), List.of("default"), Duration.ofSeconds(30), 1);
  }

  @ParameterizedTest
  @MethodSource("doors")
  void halfOfASurrogatePairIsRefusedEverywhere(Consumer<String> into) {
    into.accept("ship \ud83d\udea2");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> into.accept(HALF))
        .withMessageContaining("half of a surrogate pair, U+D83D at index");
  }

  @Test
  void theSentenceSaysWhatIsMeantAndWhatToDo() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Texts.checkName("queue", "a\udea2b"))
        .withMessage(
            "The queue \"a\uFFFDb\" contains half of a surrogate pair, U+DEA2 at index 1: cut text"
                + " between whole characters");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Texts.check("The payload of a task", "a\0"))
        .withMessage("The payload of a task contains a NUL character, at index 1");
  }

  @Test
  void textForPeopleIsCleanedAndShowsWhereSomethingIsMissing() {
    assertThat(Texts.clean("a\0b\ud83dc\udea2")).isEqualTo("a\uFFFDb\uFFFDc\uFFFD");
    assertThat(Texts.clean("\ud83d\ud83d\udea2")).isEqualTo("\uFFFD\ud83d\udea2");
    assertThat(Texts.clean("fine \ud83d\udea2")).isEqualTo("fine \ud83d\udea2");
    assertThat(new Outcome.Failed(HALF).error()).isEqualTo("ship \uFFFD");
    assertThat(new Outcome.Retrying(HALF, Duration.ZERO).error()).isEqualTo("ship \uFFFD");
    assertThat(new Command.Cancel(TaskId.next(), HALF).reason()).isEqualTo("ship \uFFFD");
  }

  @Test
  void aLongTextIsCutBetweenCharacters() {
    assertThat(Texts.clean("ab\ud83d\ude00", 4)).isEqualTo("ab\ud83d\ude00");
    assertThat(Texts.clean("ab\ud83d\ude00d", 4)).isEqualTo("ab…");
    assertThat(Texts.clean("abcde", 4)).isEqualTo("abc…");
  }
}
