package dev.berth.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.limit.LimitKey;
import dev.berth.limit.WhenFull;
import dev.berth.store.Submitted;
import dev.berth.task.TaskId;
import dev.berth.view.QuotaView;
import java.util.List;
import java.util.stream.Stream;

/** What the parts of the contract that are about quotas share. */
abstract class QuotaTest extends ContractTest {

  /** The quota of all plain drafts, and those of two users among them. */
  static final LimitKey MAIL = LimitKey.ofType(Draft.TYPE);

  static final LimitKey ADA = LimitKey.ofTypePer(Draft.TYPE, "user", "ada");
  static final LimitKey BOB = LimitKey.ofTypePer(Draft.TYPE, "user", "bob");

  static Draft mail(int most) {
    return mail(most, WhenFull.REFUSE);
  }

  static Draft mail(int most, WhenFull whenFull) {
    return Draft.task().quota(MAIL, most, whenFull);
  }

  /** Submits the drafts in one batch. */
  List<Submitted> submitBatch(Draft... drafts) {
    return store.submit(Stream.of(drafts).map(Draft::submission).toList());
  }

  /** Submits a task that must be accepted. */
  TaskId accepted(Draft draft) {
    assertThat(submit(draft)).isEqualTo(new Submitted.Accepted(draft.id()));
    return draft.id();
  }

  /** Submits a task that must be refused, and is then not in the store. */
  void refused(Draft draft, LimitKey key, int most) {
    assertThat(submit(draft)).isEqualTo(refusal(draft, key, most));
    assertThat(reader.find(draft.id())).isEmpty();
  }

  static Submitted refusal(Draft draft, LimitKey key, int most) {
    return new Submitted.QuotaFull(draft.id(), key.value(), most);
  }

  /** How many tasks the store counts under a quota. */
  int count(LimitKey key) {
    return reader.quotas().stream()
        .filter(quota -> quota.key().equals(key))
        .mapToInt(QuotaView::count)
        .sum();
  }
}
