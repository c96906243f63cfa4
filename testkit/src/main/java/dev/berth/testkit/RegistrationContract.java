package dev.berth.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.limit.LimitKey;
import dev.berth.store.Registration;
import dev.berth.store.SessionRequest;
import dev.berth.task.LimitRule;
import dev.berth.task.TaskType;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A worker is told where its code and what was there do not agree. */
abstract class RegistrationContract extends LimitTest {

  private static final LimitKey PER_USER = LimitKey.ruleOf(Draft.TYPE, "user");

  @Test
  void whatNobodySaidBeforeIsNothingToTell() {
    submitLike(Draft.task().under(MAIL, 7), 1);
    claimAll(claimer("other", Draft.TYPE), 1);

    assertThat(register(new LimitRule(MAIL, 5), new LimitRule(GPU, 2))).isEmpty();
    assertThat(register(new LimitRule(MAIL, 5), new LimitRule(GPU, 2))).isEmpty();
  }

  @Test
  void anotherNumberIsTold() {
    register(new LimitRule(MAIL, 3), new LimitRule(GPU, 4), new LimitRule(PER_USER, 1));

    assertThat(register(new LimitRule(MAIL, 5), new LimitRule(GPU, 4), new LimitRule(PER_USER, 2)))
        .containsExactlyInAnyOrder(
            new Registration(MAIL, 5, 3, null), new Registration(PER_USER, 2, 1, null));
  }

  @Test
  void aLimitThatIsNoMoreIsToldOnce() {
    register(new LimitRule(MAIL, 3), new LimitRule(GPU, 4));

    assertThat(register()).containsExactly(new Registration(MAIL, null, 3, null));
    assertThat(register()).isEmpty();
  }

  @Test
  void aNumberSetByHandIsToldEachTime() {
    register(new LimitRule(MAIL, 3));
    set(MAIL, 2);

    assertThat(register(new LimitRule(MAIL, 3)))
        .containsExactly(new Registration(MAIL, 3, null, 2));
    assertThat(register(new LimitRule(MAIL, 5))).containsExactly(new Registration(MAIL, 5, 3, 2));
    assertThat(register()).containsExactly(new Registration(MAIL, null, 5, 2));
    assertThat(register()).isEmpty();
  }

  private List<Registration> register(LimitRule... rules) {
    return store
        .open(
            new SessionRequest(
                "worker",
                List.of(handled(Draft.TYPE, rules)),
                List.of(TaskType.DEFAULT_QUEUE),
                Claimer.LEASE,
                1))
        .differing();
  }
}
