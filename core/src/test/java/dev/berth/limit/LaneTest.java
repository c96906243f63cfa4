package dev.berth.limit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class LaneTest {

  private static final Need GPU = need(LimitKey.shared("gpu"));
  private static final Need API = need(LimitKey.shared("api"));
  private static final Need TYPE = need(LimitKey.ofType("mail"));
  private static final Need USER = need(LimitKey.ofTypePer("mail", "user", "7"));

  @Test
  void withoutLimitsItIsOpen() {
    assertThat(Lane.OPEN.open()).isTrue();
    assertThat(Lane.OPEN.name()).isEmpty();
    assertThat(new Lane(List.of(GPU)).open()).isFalse();
  }

  @Test
  void needsStandFromMostToLeastShared() {
    assertThat(new Lane(List.of(USER, GPU, TYPE, API)).needs())
        .containsExactly(API, GPU, TYPE, USER);
    assertThat(new Lane(List.of(USER, GPU))).isEqualTo(new Lane(List.of(GPU, USER)));
  }

  @Test
  void theNameListsKeysAndWeights() {
    Need heavy = new Need(LimitKey.shared("gpu"), 2, 4);
    assertThat(new Lane(List.of(USER, heavy)).name()).isEqualTo("limit/gpu*2 type/mail/user/7");
  }

  @Test
  void theNumberOfSlotsIsNoPartOfTheName() {
    assertThat(new Lane(List.of(new Need(GPU.key(), 1, 4))).name())
        .isEqualTo(new Lane(List.of(new Need(GPU.key(), 1, 5))).name());
  }

  @Test
  void differentLanesHaveDifferentNames() {
    List<LimitKey> keys =
        Stream.concat(
                Stream.of("a", "b", "a*2", "a b", "a limit", "a%20b", "*", " x")
                    .flatMap(name ->
                        Stream.of(
                            LimitKey.shared(name),
                            LimitKey.ofType(name),
                            LimitKey.ofTypePer("a type", name, "c"))),
                Stream.of(LimitKey.ofTypePer("a type", "b type", "c"), LimitKey.ofType("c")))
            .distinct()
            .toList();
    Map<String, Lane> names = new HashMap<>();
    for (LimitKey first : keys) {
      for (int weight = 1; weight <= 2; weight++) {
        Need one = new Need(first, weight, 1);
        assertNew(names, new Lane(List.of(one)));
        for (LimitKey second : keys) {
          if (first.compareTo(second) < 0) {
            assertNew(names, new Lane(List.of(one, need(second))));
          }
        }
      }
    }
    assertNew(
        names,
        new Lane(Stream.of("a", "b", "c").map(type -> need(LimitKey.ofType(type))).toList()));
  }

  @Test
  void aLimitStandsInALaneOnce() {
    assertThatThrownBy(() -> new Lane(List.of(GPU, new Need(GPU.key(), 2, 4))))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("A task can be under a limit only once, but was given limit/gpu, limit/gpu");
  }

  @Test
  void numbersThatCannotBeAreRefused() {
    assertThatThrownBy(() -> Limit.of("gpu", -1))
        .hasMessage("The limit gpu cannot have -1 slots: use 0 (blocks) to 1000000");
    assertThatThrownBy(() -> Limit.of("gpu", 1_000_001)).hasMessageContaining("1000001 slots");
    assertThatThrownBy(() -> Limit.of(" ", 1)).hasMessageContaining("blank");
    assertThatThrownBy(() -> new Need(GPU.key(), 0, 4))
        .hasMessage("A task cannot take 0 slots of the limit limit/gpu: use 1 to 1000000");
    assertThatThrownBy(() -> new Need(GPU.key(), -3, 4)).hasMessageContaining("take -3 slots");
    assertThatThrownBy(() -> new Need(GPU.key(), Integer.MAX_VALUE, 4))
        .hasMessageContaining("take 2147483647 slots");
    assertThatThrownBy(() -> new Need(GPU.key(), 1, -4)).hasMessageContaining("have -4 slots");
    assertThat(Limit.of("gpu", 0).slots()).isZero();
    assertThat(Limit.of("gpu", 1_000_000).slots()).isEqualTo(1_000_000);
  }

  private static void assertNew(Map<String, Lane> names, Lane lane) {
    Lane other = names.putIfAbsent(lane.name(), lane);
    assertThat(other).as("another lane named %s", lane.name()).isNull();
  }

  private static Need need(LimitKey key) {
    return new Need(key, 1, 1);
  }
}
