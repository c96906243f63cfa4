package dev.berth.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.limit.WhenFull;
import dev.berth.store.Submitted;
import dev.berth.task.TaskId;
import dev.berth.task.TaskState;
import dev.berth.view.TaskFilter;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Quotas hold while many submit at once, and through random calls. */
@Tag("race")
abstract class QuotaRaceContract extends QuotaTest {

  private static final int THREADS = 64;
  private static final int STEPS = 250;

  @ParameterizedTest
  @EnumSource(names = {"REFUSE", "EXISTING", "CANCEL"})
  @Timeout(value = 1, unit = TimeUnit.MINUTES)
  void ofManyThatSubmitAtOnceExactlyOneIsAdmitted(WhenFull whenFull) throws Exception {
    List<Submitted> answers = Together.run(THREADS, number -> submit(mail(1, whenFull)));

    List<TaskId> accepted = idsOf(answers, Submitted.Accepted.class);
    assertThat(accepted).hasSize(1);
    assertThat(count(MAIL)).isEqualTo(1);
    assertThat(reader.list(TaskFilter.ALL)).hasSize(1);
    if (whenFull == WhenFull.EXISTING) {
      assertThat(idsOf(answers, Submitted.Existing.class))
          .hasSize(THREADS - 1)
          .containsOnly(accepted.getFirst());
    } else {
      assertThat(idsOf(answers, Submitted.QuotaFull.class)).hasSize(THREADS - 1);
    }
  }

  @Test
  @Timeout(value = 1, unit = TimeUnit.MINUTES)
  void ofManyThatReplaceEachOtherExactlyOneIsLeft() throws Exception {
    List<Submitted> answers = Together.run(THREADS, number -> submit(mail(1, WhenFull.REPLACE)));

    assertThat(idsOf(answers, Submitted.Accepted.class)).hasSize(THREADS);
    assertThat(count(MAIL)).isEqualTo(1);
    assertThat(reader.list(TaskFilter.ALL.state(TaskState.PENDING))).hasSize(1);
    assertThat(reader.list(TaskFilter.ALL.state(TaskState.CANCELLED))).hasSize(THREADS - 1);
  }

  @Test
  @Timeout(value = 1, unit = TimeUnit.MINUTES)
  void batchesUnderTheSameQuotasInAnyOrderDoNotBlockEachOther() throws Exception {
    List<List<Submitted>> answers =
        Together.run(
            16,
            number -> {
              Draft adas = mail(40).quota(ADA, 20, WhenFull.REFUSE);
              Draft bobs = mail(40).quota(BOB, 20, WhenFull.REFUSE);
              return number % 2 == 0
                  ? submitBatch(adas, bobs, like(adas), like(bobs))
                  : submitBatch(bobs, adas, like(bobs), like(adas));
            });

    assertThat(answers.stream().flatMap(List::stream))
        .filteredOn(Submitted.Accepted.class::isInstance)
        .hasSize(40);
    assertThat(List.of(count(MAIL), count(ADA), count(BOB))).containsExactly(40, 20, 20);
  }

  /** Some submit, some run and end what they find: at the end the counts are right. */
  @ParameterizedTest
  @EnumSource
  @Timeout(value = 1, unit = TimeUnit.MINUTES)
  void countsAreExactWhileTasksComeAndGo(WhenFull whenFull) throws Exception {
    Together.run(
        8,
        number -> {
          Claimer claimer = claimer();
          for (int i = 0; i < 40; i++) {
            if (number % 2 == 0) {
              submitBatch(mail(5, whenFull), mail(5, whenFull).quota(ADA, 2, whenFull));
            } else {
              claimer.endAll(claimer.claim(3), i % 4 == 0 ? RELEASED : FINISHED);
            }
            assertThat(count(MAIL)).isBetween(0, 5);
            assertThat(count(ADA)).isBetween(0, 2);
          }
          claimer.leave();
          return number;
        });

    int live = reader.list(TaskFilter.ALL.state(TaskState.PENDING).most(5_000)).size();
    assertThat(count(MAIL)).isEqualTo(live);
    Claimer claimer = claimer();
    claimer.endAll(claimer.claim(10), FINISHED);
    assertThat(reader.quotas()).isEmpty();
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("dev.berth.testkit.RandomContract#seeds")
  void countsAreThoseOfTheTasksThroughRandomCalls(long seed) {
    new QuotaRun(fixture, seed).run(STEPS);
  }

  private static Draft like(Draft draft) {
    return draft.ownId(TaskId.next());
  }

  private static List<TaskId> idsOf(List<Submitted> answers, Class<? extends Submitted> as) {
    return answers.stream().filter(as::isInstance).map(Submitted::id).toList();
  }
}
