package dev.berth.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.berth.limit.Limit;
import dev.berth.store.Claim;
import dev.berth.store.Ended;
import dev.berth.store.ExchangeRequest;
import dev.berth.store.Exchanged;
import dev.berth.store.SizeCap;
import dev.berth.task.Outcome;
import dev.berth.task.TaskId;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Bytes: how large a task may be, and how much one exchange claims. */
abstract class SizeContract extends ContractTest {

  private static final int KILOBYTE = 1_000;
  private static final int TOO_MUCH = SizeCap.DEFAULT.bytes() + 1;
  private static final Limit GPU = Limit.of("gpu", 10);

  @Test
  void noFurtherTaskIsClaimedOnceThereAreSoManyBytes() {
    List<TaskId> ids = submitKilobytes(Draft.task(), 10);
    Claimer claimer = claimer();

    assertThat(ids(claimer.claimWithin(10, 2 * KILOBYTE + 1))).isEqualTo(ids.subList(0, 3));
    assertThat(ids(claimer.claimWithin(10, 5 * KILOBYTE))).isEqualTo(ids.subList(3, 8));
    assertThat(ids(claimer.claimWithin(10, Long.MAX_VALUE))).isEqualTo(ids.subList(8, 10));
  }

  @Test
  void oneTaskIsClaimedHoweverLargeItIs() {
    List<TaskId> ids = submitKilobytes(Draft.task(), 2);

    assertThat(ids(claimer().claimWithin(10, 1))).isEqualTo(ids.subList(0, 1));
  }

  @Test
  void metadataCounts() {
    submitAll(
        Draft.task().metadata(Map.of("key", "x".repeat(KILOBYTE))),
        Draft.task().metadata(Map.of("key", "x".repeat(KILOBYTE))));

    assertThat(claimer().claimWithin(10, KILOBYTE / 2)).hasSize(1);
  }

  @Test
  void underALimitItHoldsAsWellAndTheOtherSlotsStayFree() {
    List<TaskId> ids = submitKilobytes(Draft.task().under(GPU), 10);
    Claimer claimer = claimer();

    List<Claim> first = claimer.claimWithin(10, 2 * KILOBYTE + 1);
    assertThat(ids(first)).hasSize(3);
    assertThat(reader.limits().getFirst().used()).isEqualTo(3);

    // one after another: slots of tasks that ended are handed on
    ExchangeRequest last = claimer.last();
    List<Ended> ended = first.stream().map(claim -> new Ended(claim.lease(), FINISHED)).toList();
    Exchanged.Done next =
        Claimer.done(
            store.exchange(
                new ExchangeRequest(
                    last.session(),
                    last.number() + 1,
                    ended,
                    10,
                    last.queues(),
                    ExchangeRequest.Ahead.NONE,
                    1)));
    assertThat(next.claims()).hasSize(1);
    assertThat(reader.limits().getFirst().used()).isEqualTo(1);
    assertThat(claimer().claimWithin(10, Long.MAX_VALUE)).hasSize(ids.size() - 4);
  }

  /** As of a worker that had no memory for the payloads. */
  @Test
  void aRepeatGivesTheClaimsWithoutTheirPayloads() {
    submitKilobytes(Draft.task().metadata(Map.of("key", "value")), 3);
    Claimer claimer = claimer();
    List<Claim> claims = claimer.claim(10);

    List<Claim> unread = claimer.repeatUnread().claims();

    assertThat(unread)
        .containsExactlyElementsOf(claims.stream().map(Claim::withoutPayload).toList());
    assertThat(Claimer.done(claimer.repeat()).claims()).isEqualTo(claims);
  }

  @Test
  void nothingIsClaimedWithoutBytes() {
    submitKilobytes(Draft.task(), 3);

    assertThat(claimer().claimWithin(10, ExchangeRequest.UNREAD)).isEmpty();
  }

  @Test
  void aPayloadThatIsTooLargeIsRefused() {
    submit(Draft.task().payload(json(SizeCap.DEFAULT.bytes())));

    assertThatThrownBy(() -> submit(Draft.task().payload(json(TOO_MUCH))))
        .matches(ContractTest::saysInvalid)
        .hasMessageContaining(
            "The payload of a task of type "
                + Draft.TYPE
                + " has 1048577 bytes; at most 1048576 are allowed");
    assertThatThrownBy(() -> submitAll(Draft.task(), Draft.task().payload(json(TOO_MUCH))))
        .matches(ContractTest::saysInvalid);
    assertThat(claimer().claim(10)).hasSize(1);
  }

  @Test
  void metadataThatAreTooLargeAreRefused() {
    Draft draft = Draft.task().metadata(Map.of("key", "x".repeat(TOO_MUCH)));

    assertThatThrownBy(() -> submit(draft))
        .matches(ContractTest::saysInvalid)
        .hasMessageContaining("The metadata of a task of type " + Draft.TYPE);
    assertThatThrownBy(() -> submitAll(Draft.task(), draft)).matches(ContractTest::saysInvalid);
  }

  @Test
  void aResultThatIsTooLargeIsRefusedAndNothingOfItsExchangeIsRecorded() {
    submitMany(2);
    Claimer claimer = claimer();
    List<Claim> claims = claimer.claim(2);
    Outcome large = new Outcome.Finished(json(TOO_MUCH));
    List<Ended> ended =
        List.of(
            new Ended(claims.getFirst().lease(), FINISHED),
            new Ended(claims.getLast().lease(), large));

    assertThatThrownBy(() -> claimer.exchange(ended, 0))
        .matches(ContractTest::saysInvalid)
        .hasMessageContaining(
            "The result of a task of type "
                + Draft.TYPE
                + " has 1048577 bytes; at most 1048576 are allowed");
    assertThat(reader.sessions().getFirst().running()).isEqualTo(2);
  }

  private List<TaskId> submitKilobytes(Draft draft, int count) {
    return IntStream.range(0, count)
        .mapToObj(number -> submit(draft.ownId(TaskId.next()).payload(json(KILOBYTE))).id())
        .toList();
  }

  private static String json(int bytes) {
    return '"' + "x".repeat(bytes - 2) + '"';
  }

  private static List<TaskId> ids(List<Claim> claims) {
    return claims.stream().map(claim -> claim.lease().task()).toList();
  }
}
