package dev.berth.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.postgres.ScanPlan.Line;
import dev.berth.postgres.ScanPlan.Mode;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class ScanPlanTest {

  private static final String QUEUE = "mail";
  private static final Instant EARLY = Instant.ofEpochSecond(100);
  private static final Instant LATE = Instant.ofEpochSecond(200);

  private final ScanPlan plan = new ScanPlan();
  private long nanos = TimeUnit.HOURS.toNanos(1);

  @Test
  void aQueueNeverSeenIsScanned() {
    assertThat(modes()).containsExactly(Mode.LANES, Mode.SCAN);
  }

  @Test
  void whileThereIsWorkTheNextClaimStartsAtTheFloor() {
    scanned(1, true);
    plan.read(QUEUE, 5, LATE, false);
    plan.dry(QUEUE, false);

    assertThat(lines()).containsExactly(new Line(QUEUE, 5, LATE, Mode.PLAIN));
  }

  @Test
  void aPlaceThatTheStoreCouldNotReadIsNotSentAgain() {
    scanned(1, true);
    plan.lanes(QUEUE, "t\nu\nlimit/a\n5", true);
    assertThat(lines()).extracting(Line::cursor).contains("t\nu\nlimit/a\n5");
    plan.failed();
    assertThat(lines()).extracting(Line::cursor).containsOnlyNulls();
  }

  @Test
  void prioritiesThatAreNoneAddNoLines() {
    scanned(1, true);
    plan.read(QUEUE, 5, LATE, false);
    plan.dry(QUEUE, false);
    for (int priority = -1_000; priority < 1_000; priority++) {
      if (priority < -2 || priority > -1) { // those two are words
        plan.lower(new Hint.Ready(QUEUE, priority, EARLY));
      }
    }
    assertThat(lines()).hasSize(10);
  }

  @Test
  void foreignTypesAreHoppedOver() {
    scanned(1, true);
    plan.read(QUEUE, 5, LATE, true);
    plan.dry(QUEUE, false);

    assertThat(modes()).containsExactly(Mode.HOP);
  }

  @Test
  void higherPrioritiesComeFirst() {
    scanned(1, true);
    plan.read(QUEUE, 2, LATE, false);
    plan.read(QUEUE, 8, LATE, false);
    plan.dry(QUEUE, false);

    assertThat(lines()).extracting(Line::priority).containsExactly(8, 2);
  }

  @Test
  void anExpensiveScanIsRareEvenWhenTheQueueRunsDry() {
    scanned(100, true);
    plan.read(QUEUE, 5, LATE, false);
    plan.dry(QUEUE, true);

    pass(1_900);
    assertThat(modes()).containsExactly(Mode.PLAIN);
    pass(200);
    assertThat(modes()).containsExactly(Mode.LANES, Mode.SCAN);
  }

  @Test
  void aScanThatStoppedEarlyIsFollowedByAnotherAsSoonAsTheQueueRunsDry() {
    scanned(100, false);
    plan.read(QUEUE, 5, LATE, false);
    plan.dry(QUEUE, true);

    assertThat(modes()).containsExactly(Mode.LANES, Mode.SCAN);
  }

  @Test
  void aHintLowersTheFloorOfItsPriorityOnly() {
    scanned(1, true);
    plan.read(QUEUE, 5, LATE, false);
    plan.read(QUEUE, 7, LATE, false);
    plan.dry(QUEUE, false);
    plan.lower(new Hint.Ready(QUEUE, 5, EARLY));

    assertThat(lines()).extracting(Line::floor).containsExactly(LATE, EARLY);
  }

  @Test
  void whatWasAnnouncedIsLookedAtFirstAndTheScanComesAfterIt() {
    scanned(1, true);
    plan.read(QUEUE, 5, LATE, false);
    plan.dry(QUEUE, true);
    pass(1_000);
    plan.lower(new Hint.Ready(QUEUE, 5, EARLY));

    assertThat(plan.lines(List.of(QUEUE), true, nanos))
        .containsExactly(new Line(QUEUE, 5, EARLY, Mode.PLAIN));
    plan.lower(new Hint.Ready(QUEUE, 5, EARLY));
    assertThat(plan.lines(List.of(QUEUE), true, nanos))
        .extracting(Line::mode)
        .containsExactly(Mode.LANES, Mode.SCAN);
  }

  @Test
  void aScanThatIsDueIsNotPutOffForAnAnnouncement() {
    scanned(1, true);
    plan.read(QUEUE, 5, LATE, false);
    plan.failed();
    plan.lower(new Hint.Ready(QUEUE, 5, EARLY));

    assertThat(plan.lines(List.of(QUEUE), true, nanos))
        .extracting(Line::mode)
        .containsExactly(Mode.LANES, Mode.SCAN);
  }

  @Test
  void aHintNamesAPriorityThatWasNotSeenBefore() {
    scanned(1, true);
    plan.read(QUEUE, 5, LATE, false);
    plan.dry(QUEUE, false);
    plan.lower(new Hint.Ready(QUEUE, 9, EARLY));

    assertThat(lines()).extracting(Line::priority).containsExactly(9, 5);
  }

  @Test
  void aHintThatComesWhileAClaimIsUnderWayIsNotForgotten() {
    scanned(1, true);
    plan.read(QUEUE, 5, EARLY, false);
    plan.dry(QUEUE, false);
    lines();
    plan.lower(new Hint.Ready(QUEUE, 5, EARLY));
    plan.read(QUEUE, 5, LATE, false);

    assertThat(lines()).extracting(Line::floor).containsExactly(EARLY);
    plan.read(QUEUE, 5, LATE, false);
    assertThat(lines()).extracting(Line::floor).containsExactly(LATE);
  }

  @Test
  void aScanAskedForWhileAnotherIsUnderWayIsNotForgotten() {
    lines();
    plan.lower(new Hint.Ready(QUEUE, Hint.Ready.ANY, EARLY));
    plan.scanned(QUEUE, nanos, 1, true);
    plan.read(QUEUE, 5, LATE, false);
    plan.dry(QUEUE, false);

    assertThat(modes()).containsExactly(Mode.LANES, Mode.SCAN);
  }

  @Test
  void aClaimThatFailedIsFollowedByAScan() {
    scanned(1, true);
    plan.read(QUEUE, 5, LATE, false);
    plan.dry(QUEUE, false);
    plan.failed();

    assertThat(modes()).containsExactly(Mode.LANES, Mode.SCAN);
  }

  @Test
  void limitedWorkThatIsBlockedIsLookedAtWhenSlotsAreFreed() {
    scanned(1, true);
    plan.read(QUEUE, 5, LATE, false);
    plan.dry(QUEUE, false);
    plan.lanes(QUEUE, "lane", false);

    assertThat(lines())
        .containsExactly(
            new Line(QUEUE, null, null, Mode.FREED, "lane"), new Line(QUEUE, 5, LATE, Mode.PLAIN));
  }

  @Test
  void limitedWorkThatIsAnnouncedIsLookedAtOnce() {
    scanned(1, true);
    plan.read(QUEUE, 5, LATE, false);
    plan.dry(QUEUE, false);
    plan.lower(new Hint.Ready(QUEUE, Hint.Ready.LANES, EARLY));

    assertThat(modes()).containsExactly(Mode.LANES, Mode.PLAIN);
    plan.lanes(QUEUE, null, false);
    assertThat(modes()).containsExactly(Mode.PLAIN);
  }

  @Test
  void limitedWorkThatWasNotLookedAtIsLookedAtNextTime() {
    scanned(1, true);
    plan.read(QUEUE, 5, LATE, false);
    plan.dry(QUEUE, false);
    plan.lanes(QUEUE, "lane", true);

    assertThat(modes()).containsExactly(Mode.LANES, Mode.PLAIN);
    assertThat(modes()).containsExactly(Mode.LANES, Mode.PLAIN);
  }

  @Test
  void aLookIsAtLimitedWorkToo() {
    scanned(1, true);
    plan.read(QUEUE, 5, LATE, false);
    plan.dry(QUEUE, false);
    plan.lanes(QUEUE, "lane", false);

    assertThat(plan.lines(List.of(QUEUE), true, nanos))
        .extracting(Line::mode)
        .containsExactly(Mode.LANES, Mode.PLAIN);
  }

  @Test
  void anExpensiveScanOfLimitedWorkIsRareAlsoForAWorkerWithNothingToHandIn() {
    scanned(100, true);
    plan.lanes(QUEUE, "lane", false);
    plan.dry(QUEUE, true);

    pass(1_900);
    assertThat(plan.lines(List.of(QUEUE), true, nanos))
        .containsExactly(new Line(QUEUE, null, null, Mode.LANES, "lane"));
    pass(200);
    assertThat(plan.lines(List.of(QUEUE), true, nanos))
        .extracting(Line::mode)
        .containsExactly(Mode.LANES, Mode.SCAN);
  }

  @Test
  void lostHintsMakeAScanDue() {
    scanned(100, true);
    plan.read(QUEUE, 5, LATE, false);
    plan.dry(QUEUE, false);
    plan.lower((Hint.Ready) Hint.ANYWHERE);

    assertThat(modes()).containsExactly(Mode.LANES, Mode.SCAN);
  }

  private void scanned(long tookMillis, boolean complete) {
    modes();
    plan.scanned(QUEUE, nanos, TimeUnit.MILLISECONDS.toNanos(tookMillis), complete);
  }

  private void pass(long millis) {
    nanos += TimeUnit.MILLISECONDS.toNanos(millis);
  }

  private List<Line> lines() {
    return plan.lines(List.of(QUEUE), false, nanos);
  }

  private List<Mode> modes() {
    return lines().stream().map(Line::mode).toList();
  }
}
