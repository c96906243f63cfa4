package dev.berth.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.limit.Limit;
import dev.berth.limit.LimitKey;
import dev.berth.store.Applied;
import dev.berth.store.Claim;
import dev.berth.store.Command;
import dev.berth.store.Ended;
import dev.berth.store.SessionRequest.Handled;
import dev.berth.task.LimitRule;
import dev.berth.task.Outcome;
import dev.berth.task.Retention;
import dev.berth.task.TaskId;
import dev.berth.task.TaskType;
import dev.berth.view.LimitView;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** What the parts of the contract that are about limits share. */
abstract class LimitTest extends ContractTest {

  /** A shared limit, and the limit of all plain drafts. */
  static final LimitKey GPU = LimitKey.shared("gpu");

  static final LimitKey MAIL = LimitKey.ofType(Draft.TYPE);

  /** A store may look at few lanes in one exchange: after so many in vain there is nothing. */
  private static final int IN_VAIN = 12;

  static Limit gpu(int slots) {
    return Limit.of("gpu", slots);
  }

  /** A worker for plain drafts whose code says these numbers. */
  Claimer claimerSaying(LimitRule... rules) {
    return Claimer.open(store, "worker", List.of(handled(Draft.TYPE, rules)));
  }

  static Handled handled(String type, LimitRule... rules) {
    return new Handled(
        type, Retention.DEFAULT, TaskType.DEFAULT_MAX_CRASHES, Stream.of(rules).toList());
  }

  /** Submits so many tasks like this one in one batch. */
  List<TaskId> submitLike(Draft draft, int count) {
    return submitAll(
        Stream.generate(() -> new Draft(draft.submission()).ownId(TaskId.next()))
            .limit(count)
            .toArray(Draft[]::new));
  }

  /** Takes up to this many tasks, in as many exchanges as it needs. */
  static List<Claim> claimAll(Claimer claimer, int most) {
    return endAndClaim(claimer, List.of(), most);
  }

  /** Hands in these as finished and takes up to this many tasks, in as many exchanges as needed. */
  static List<Claim> endAndClaim(Claimer claimer, List<Claim> finished, int most) {
    List<Claim> claims = new ArrayList<>();
    List<Ended> ended = finished.stream().map(claim -> new Ended(claim.lease(), FINISHED)).toList();
    int inVain = 0;
    while (inVain < IN_VAIN && claims.size() < most) {
      List<Claim> more = Claimer.done(claimer.exchange(ended, most - claims.size())).claims();
      ended = List.of();
      inVain = more.isEmpty() ? inVain + 1 : 0;
      claims.addAll(more);
    }
    return claims;
  }

  /** Claims and finishes until nothing is left; returns the most that ran at once. */
  static int drain(Claimer claimer, int atOnce) {
    int most = 0;
    List<Claim> running = claimAll(claimer, atOnce);
    while (!running.isEmpty()) {
      most = Math.max(most, running.size());
      claimer.end(running.removeFirst(), FINISHED);
      running.addAll(claimAll(claimer, atOnce - running.size()));
    }
    return most;
  }

  Applied set(LimitKey key, int slots) {
    return store.apply(new Command.SetLimit(key, slots));
  }

  Applied reset(LimitKey key) {
    return store.apply(new Command.ResetLimit(key));
  }

  Optional<LimitView> find(LimitKey key) {
    return reader.limits().stream().filter(limit -> limit.key().equals(key)).findFirst();
  }

  /** The limit, which must be listed; its holders account for what is used. */
  LimitView limit(LimitKey key) {
    LimitView limit =
        find(key).orElseThrow(() -> new AssertionError("Limit " + key + " is not listed"));
    assertThat(limit.holders().stream().mapToInt(LimitView.Holder::weight).sum())
        .as("slots of %s in the hands of %s", key, limit.holders())
        .isEqualTo(limit.used());
    return limit;
  }

  /** How many slots are in use; none where the limit is not listed. */
  int used(LimitKey key) {
    return find(key).isPresent() ? limit(key).used() : 0;
  }

  static List<TaskId> ids(List<Claim> claims) {
    return claims.stream().map(claim -> claim.lease().task()).toList();
  }

  static Outcome retryIn(Duration delay) {
    return new Outcome.Retrying("busy", delay);
  }
}
