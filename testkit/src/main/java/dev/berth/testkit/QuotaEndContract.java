package dev.berth.testkit;

import static dev.berth.limit.WhenFull.EXISTING;
import static dev.berth.limit.WhenFull.REPLACE;
import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.store.Applied;
import dev.berth.store.Claim;
import dev.berth.store.SessionRequest.Handled;
import dev.berth.task.Outcome;
import dev.berth.task.Retention;
import dev.berth.task.TaskId;
import dev.berth.task.TaskState;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A task counts until it has ended for good, however it ends. */
abstract class QuotaEndContract extends QuotaTest {

  @Test
  void aRunningTaskCounts() {
    accepted(mail(1));
    Claimer claimer = claimer();
    Claim claim = claimer.claimOne();

    refused(mail(1), MAIL, 1);

    claimer.end(claim, FINISHED);
    assertThat(reader.quotas()).isEmpty();
    accepted(mail(1));
  }

  @Test
  void aTaskThatIsTriedAgainOrGivenBackCounts() {
    accepted(mail(1));
    Claimer claimer = claimer();

    claimer.end(claimer.claimOne(), LimitTest.retryIn(Duration.ZERO));
    refused(mail(1), MAIL, 1);
    claimer.end(claimer.claimOne(), RELEASED);
    refused(mail(1), MAIL, 1);
    claimer.claimOne();
    claimer.leave();
    refused(mail(1), MAIL, 1);
    claimer().claimOne();
    pass(LEASE_OVER);
    refused(mail(1), MAIL, 1);

    assertThat(count(MAIL)).isEqualTo(1);
  }

  @Test
  void eachOutcomeThatIsFinalGivesBack() {
    for (int i = 0; i < 4; i++) {
      accepted(mail(4).quota(ADA, 4, EXISTING));
    }
    Claimer claimer = claimer();
    List<Claim> claims = claimer.claim(3);

    claimer.end(claims.get(0), FINISHED);
    assertThat(List.of(count(MAIL), count(ADA))).containsExactly(3, 3);
    claimer.end(claims.get(1), FAILED);
    assertThat(count(MAIL)).isEqualTo(2);
    claimer.end(claims.get(2), new Outcome.Cancelled("not wanted"));
    assertThat(List.of(count(MAIL), count(ADA))).containsExactly(1, 1);
    claimer.end(claimer.claimOne(), FINISHED);
    assertThat(reader.quotas()).isEmpty();
  }

  @Test
  void anOutcomeThatIsRepeatedOrStaleGivesBackOnce() {
    accepted(mail(2));
    Claimer claimer = claimer();
    Claim claim = claimer.claimOne();
    claimer.end(claim, FINISHED);
    accepted(mail(2));

    claimer.repeat();
    claimer.end(claim, FINISHED);

    assertThat(count(MAIL)).isEqualTo(1);
  }

  @Test
  void aCancelledTaskGivesBack() {
    TaskId pending = accepted(mail(1));
    cancel(pending);
    TaskId delayed = accepted(mail(1).delay(Duration.ofHours(1)));
    cancel(delayed);
    TaskId running = accepted(mail(1));
    Claimer claimer = claimer();
    Claim claim = claimer.claimOne();

    cancel(running);
    refused(mail(1), MAIL, 1);
    claimer.end(claim, LimitTest.retryIn(Duration.ofMinutes(1)));

    assertThat(reader.quotas()).isEmpty();
  }

  @Test
  void aTaskThatCrashedTooOftenGivesBack() {
    accepted(mail(1));
    Claimer claimer =
        Claimer.open(store, "worker", List.of(new Handled(Draft.TYPE, Retention.DEFAULT, 2)));
    claimer.claimOne();
    pass(LEASE_OVER);
    refused(mail(1), MAIL, 1);

    Claimer second =
        Claimer.open(store, "worker", List.of(new Handled(Draft.TYPE, Retention.DEFAULT, 2)));
    second.claimOne();
    pass(LEASE_OVER);

    assertThat(reader.quotas()).isEmpty();
    accepted(mail(1));
  }

  @Test
  void aCancelledTaskWhoseWorkerDiesGivesBack() {
    TaskId id = accepted(mail(1));
    claimer().claimOne();
    cancel(id);

    pass(LEASE_OVER);

    assertThat(state(id)).isEqualTo(TaskState.CANCELLED);
    assertThat(reader.quotas()).isEmpty();
  }

  @Test
  void aTypeThatKeepsNoHistoryGivesBack() {
    accepted(mail(1));
    Claimer claimer =
        Claimer.open(store, "worker", List.of(new Handled(Draft.TYPE, Retention.NONE, 5)));

    claimer.end(claimer.claimOne(), FINISHED);

    assertThat(reader.quotas()).isEmpty();
    cancel(accepted(mail(1)));
    assertThat(reader.quotas()).isEmpty();
  }

  @Test
  void aTaskThatIsRetriedByHandCountsAgain() {
    TaskId id = accepted(mail(1).quota(ADA, 1, EXISTING));
    Claimer claimer = claimer();
    claimer.end(claimer.claimOne(), FAILED);

    assertThat(retry(id)).isEqualTo(Applied.DONE);

    assertThat(List.of(count(MAIL), count(ADA))).containsExactly(1, 1);
    refused(mail(1), MAIL, 1);
    claimer.end(claimer.claimOne(), FINISHED);
    assertThat(reader.quotas()).isEmpty();
  }

  @Test
  void aTaskIsNotRetriedByHandUnderAFullQuota() {
    TaskId failed = accepted(mail(1, REPLACE));
    Claimer claimer = claimer();
    claimer.end(claimer.claimOne(), FAILED);
    TaskId other = accepted(mail(1, REPLACE));

    assertThat(retry(failed)).isEqualTo(Applied.QUOTA_FULL);

    assertThat(state(failed)).isEqualTo(TaskState.FAILED);
    assertThat(state(other)).isEqualTo(TaskState.PENDING);
    cancel(other);
    assertThat(retry(failed)).isEqualTo(Applied.DONE);
    assertThat(retry(failed)).isEqualTo(Applied.UNCHANGED);
    assertThat(count(MAIL)).isEqualTo(1);
    assertThat(claimer.claimIds(10)).containsExactly(failed);
  }
}
