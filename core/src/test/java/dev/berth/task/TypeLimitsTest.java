package dev.berth.task;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.berth.limit.Lane;
import dev.berth.limit.Limit;
import dev.berth.limit.LimitKey;
import dev.berth.limit.Need;
import java.util.List;
import org.junit.jupiter.api.Test;

class TypeLimitsTest {

  private record Email(String user, String to) {}

  private static final Limit GPU = Limit.of("gpu", 4);
  private static final Email ADA = new Email("ada", "bob@example.com");

  private final TaskType<Email, Void> type = TaskType.of("send_email", Email.class);

  @Test
  void aTypeHasNoLimitUnlessItSaysSo() {
    assertThat(lane(type)).isEqualTo(Lane.OPEN);
    assertThat(type.limits().rules("send_email")).isEmpty();
  }

  @Test
  void aTaskIsUnderAllLimitsOfItsType() {
    TaskType<Email, Void> limited = type.limit(50).limitPer("user", Email::user, 1).under(GPU, 2);

    assertThat(lane(limited).needs())
        .containsExactly(
            new Need(LimitKey.shared("gpu"), 2, 4),
            new Need(LimitKey.ofType("send_email"), 1, 50),
            new Need(LimitKey.ofTypePer("send_email", "user", "ada"), 1, 1));
    assertThat(limited.limits().rules("send_email"))
        .containsExactlyInAnyOrder(
            new LimitRule(LimitKey.shared("gpu"), 4, 2, null),
            new LimitRule(LimitKey.ofType("send_email"), 50),
            new LimitRule(LimitKey.ruleOf("send_email", "user"), 1));
  }

  @Test
  void aTaskIsUnderTheLimitsOfItsSubmitToo() {
    List<TypeLimits.Shared> added = SubmitOptions.DEFAULT.under(GPU, 3).limits();

    Lane lane = type.limit(5).limits().lane("send_email", ADA, added);

    assertThat(lane.name()).isEqualTo("limit/gpu*3 type/send_email");
  }

  @Test
  void severalKeysCanLimitAType() {
    TaskType<Email, Void> limited =
        type.limitPer("user", Email::user, 1).limitPer("to", Email::to, 2);

    assertThat(lane(limited).name())
        .isEqualTo("type/send_email/to/bob@example.com type/send_email/user/ada");
  }

  @Test
  void aKeyThatLooksLikeAnotherTypeIsItsOwn() {
    TaskType<Email, Void> limited = type.limitPer("user", Email::user, 1);

    assertThat(limited.limits().lane("send_email", new Email("7/user/8", ""), List.of()).name())
        .isEqualTo("type/send_email/user/7%2Fuser%2F8");
  }

  @Test
  void theLastNumberOfATypeCounts() {
    assertThat(type.limit(5).limit(0).limits().own()).hasValue(0);
  }

  @Test
  void aTaskWithoutItsKeyIsRefused() {
    TypeLimits<Email> limits = type.limitPer("user", Email::user, 1).limits();

    assertThatThrownBy(() -> limits.lane("send_email", new Email(" ", ""), List.of()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("A task of type send_email needs a user for its limit, but it was blank");
    TypeLimits<Email> nothing = type.limitPer("user", email -> null, 1).limits();
    assertThatThrownBy(() -> nothing.lane("send_email", ADA, List.of()))
        .hasMessageEndingWith("but it was null");
  }

  @Test
  void aLimitIsNamedOnce() {
    assertThatThrownBy(() -> type.under(GPU).under(GPU, 2))
        .hasMessage("The type send_email is already under the limit gpu");
    assertThatThrownBy(() -> type.limitPer("user", Email::user, 1).limitPer("user", Email::to, 2))
        .hasMessage("The type send_email already has a limit per user");
    TypeLimits<Email> limits = type.under(GPU).limits();
    List<TypeLimits.Shared> again = SubmitOptions.DEFAULT.under(GPU).limits();
    assertThatThrownBy(() -> limits.lane("send_email", ADA, again))
        .hasMessageContaining("under a limit only once");
  }

  @Test
  void numbersThatCannotBeAreRefused() {
    assertRefused(() -> type.limit(-1), "The limit send_email cannot have -1 slots");
    assertRefused(() -> type.limit(2_000_000), "cannot have 2000000 slots");
    assertRefused(
        () -> type.limitPer("user", Email::user, -2),
        "The limit type/send_email/user cannot have -2 slots: use 0 (blocks) to 1000000");
    assertRefused(() -> type.limitPer(" ", Email::user, 1), "blank");
    assertRefused(() -> type.under(GPU, 0), "A task cannot take 0 slots of the limit gpu");
    assertRefused(() -> SubmitOptions.DEFAULT.under(GPU, -1), "take -1 slots");
    assertRefused(() -> new LimitRule(GPU.key(), -1), "cannot have -1 slots");
  }

  private Lane lane(TaskType<Email, Void> of) {
    return of.limits().lane("send_email", ADA, List.of());
  }

  private static void assertRefused(Runnable making, String reason) {
    assertThatThrownBy(making::run)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(reason);
  }
}
