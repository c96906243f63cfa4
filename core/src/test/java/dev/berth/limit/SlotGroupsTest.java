package dev.berth.limit;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SlotGroupsTest {

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 4, 49, 50, 51, 99, 100, 101, 500, 501, 961, 1_000, 1_000_000})
  void theGroupsAddUpToTheSlots(int slots) {
    assertExact(slots);
  }

  @Test
  void everyNumberIsExact() {
    for (int slots = 0; slots <= 3_000; slots++) {
      assertExact(slots);
    }
  }

  @Test
  void slotsAreSpreadEvenly() {
    assertThat(SlotGroups.split(0)).isEmpty();
    assertThat(SlotGroups.split(1)).containsExactly(1);
    assertThat(SlotGroups.split(4)).containsExactly(1, 1, 1, 1);
    assertThat(SlotGroups.split(50)).isEqualTo(Collections.nCopies(50, 1));
    assertThat(SlotGroups.split(100)).isEqualTo(Collections.nCopies(50, 2));
    assertThat(SlotGroups.split(500)).isEqualTo(Collections.nCopies(50, 10));
    assertThat(SlotGroups.split(1_000)).isEqualTo(Collections.nCopies(50, 20));
  }

  @Test
  void theLastGroupHasWhatIsLeft() {
    assertThat(SlotGroups.split(51)).hasSize(26).endsWith(2, 1);
    assertThat(SlotGroups.split(501)).hasSize(46).endsWith(11, 6);
    assertThat(SlotGroups.split(961)).hasSize(49).endsWith(20, 1);
  }

  private static void assertExact(int slots) {
    List<Integer> groups = SlotGroups.split(slots);
    assertThat(groups.stream().mapToInt(Integer::intValue).sum()).isEqualTo(slots);
    assertThat(groups).hasSizeLessThanOrEqualTo(SlotGroups.MOST).allMatch(size -> size > 0);
  }
}
