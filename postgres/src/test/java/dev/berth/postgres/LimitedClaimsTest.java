package dev.berth.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.postgres.Exchanges.Placed;
import dev.berth.postgres.LimitedClaims.Floor;
import dev.berth.store.Claim;
import dev.berth.store.Ended;
import dev.berth.store.Lease;
import dev.berth.task.Outcome;
import dev.berth.task.TaskId;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class LimitedClaimsTest {

  private static final String QUEUE = "mail";
  private static final String LANE = "type/send";
  private static final String LINE = QUEUE + "\n5\nsend\n" + LANE;

  private final LimitedClaims claims = new LimitedClaims();

  @Test
  void floorsAreToldWhereDeadEntriesAreInTheWay() {
    claim(1, LimitedClaims.LONG_LANE);
    assertThat(floors()).isEmpty();

    claims.seen(QUEUE, Map.of());
    assertThat(floors()).containsExactly(new Floor(LINE, LimitedClaims.LONG_LANE));

    claims.seen(QUEUE, null);
    assertThat(floors()).isEmpty();
  }

  @Test
  void aShortLaneIsNotWorthIt() {
    claims.seen(QUEUE, Map.of());
    claim(1, LimitedClaims.LONG_LANE - 1);

    assertThat(floors()).isEmpty();
  }

  @Test
  void aFloorIsWhereTheLastClaimOrLookEnded() {
    claims.seen(QUEUE, Map.of(LINE, "7"));
    assertThat(floors()).containsExactly(new Floor(LINE, 7));

    claim(10, 20);
    assertThat(floors()).containsExactly(new Floor(LINE, 20));

    claims.seen(QUEUE, Map.of(LINE, "31"));
    assertThat(floors()).containsExactly(new Floor(LINE, 31));
  }

  @Test
  void whatIsReleasedToItsPlaceLowersTheFloor() {
    claims.seen(QUEUE, Map.of(LINE, "1"));
    claim(1, 9);
    claims.answered(List.of(new Ended(lease(4), new Outcome.Released(Duration.ZERO))), List.of());

    assertThat(floors()).containsExactly(new Floor(LINE, 4));
  }

  @Test
  void afterAFailureNothingIsKnown() {
    claims.seen(QUEUE, Map.of(LINE, "1"));
    claims.failed();

    assertThat(floors()).isEmpty();
  }

  @Test
  void otherQueuesAreNotTold() {
    claims.seen(QUEUE, Map.of(LINE, "1"));

    assertThat(claims.floors(List.of("print"))).isEmpty();
  }

  @Test
  void theFloorsOfTheLanesUsedLastAreTold() {
    for (int i = 0; i <= LimitedClaims.LANES; i++) {
      claims.seen(QUEUE, Map.of(LINE + i, "1"));
    }

    assertThat(floors())
        .hasSize(LimitedClaims.LANES)
        .contains(new Floor(LINE + LimitedClaims.LANES, 1))
        .doesNotContain(new Floor(LINE + 0, 1));
  }

  @Test
  void leasesAreThoseThatRunAndTheNewestEver() {
    claim(1, 3);
    claims.answered(List.of(finished(1), finished(3)), List.of());

    assertThat(claims.leases()).containsExactly(2L, 3L);
  }

  @Test
  void ofManyLeasesTheOldestAreTold() {
    claim(1, 2 * LimitedClaims.LEASES);

    assertThat(claims.leases())
        .containsExactlyElementsOf(
            LongStream.rangeClosed(1, LimitedClaims.LEASES).boxed().toList());
  }

  @Test
  void workWithoutLimitsLeavesNoTrace() {
    claims.seen(QUEUE, Map.of());
    claims.answered(List.of(), List.of(placed(5, null)));

    assertThat(floors()).isEmpty();
    assertThat(claims.leases()).containsExactly(5L);
  }

  private List<Floor> floors() {
    return claims.floors(List.of(QUEUE));
  }

  /** Tasks whose tokens are their positions. */
  private void claim(long from, long to) {
    List<Placed> placed = new ArrayList<>();
    for (long token = to; token >= from; token--) {
      placed.add(placed(token, LANE));
    }
    claims.answered(List.of(), placed);
  }

  private static Placed placed(long token, String lane) {
    Instant position = Instant.EPOCH.plusNanos(1_000 * token);
    return new Placed(
        new Claim(
            lease(token), "send", QUEUE, 5, "{}", Map.of(), 1, 0, 0, position, null, lane, false),
        position);
  }

  private static Ended finished(long token) {
    return new Ended(lease(token), new Outcome.Finished(null));
  }

  private static Lease lease(long token) {
    return new Lease(TaskId.named("mail", "task-" + token), token);
  }
}
