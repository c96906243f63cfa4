package dev.berth.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.berth.limit.Limit;
import dev.berth.limit.LimitKey;
import dev.berth.store.Claim;
import dev.berth.store.SessionRequest.Handled;
import dev.berth.task.LimitRule;
import dev.berth.view.LimitView;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Limits: how many tasks run at once, under one limit and under several. */
abstract class LimitContract extends LimitTest {

  @Test
  void aLimitOf1RunsOneTaskAfterAnother() {
    List<?> ids = submitLike(Draft.task().under(gpu(1)), 5);
    Claimer claimer = claimer();

    List<Object> order = new ArrayList<>();
    List<Claim> running = claimAll(claimer, 10);
    while (!running.isEmpty()) {
      assertThat(running).hasSize(1);
      assertThat(used(GPU)).isEqualTo(1);
      order.addAll(ids(running));
      running = endAndClaim(claimer, running, 10);
    }

    assertThat(order).isEqualTo(ids);
    assertThat(used(GPU)).isZero();
  }

  @Test
  void aLimitOf4RunsFourAndNeverFive() {
    submitLike(Draft.task().under(gpu(4)), 12);
    Claimer first = claimer();
    Claimer second = claimer();

    List<Claim> running = claimAll(first, 3);
    running.addAll(claimAll(second, 10));

    assertThat(running).hasSize(4);
    assertThat(claimAll(first, 10)).isEmpty();
    assertThat(limit(GPU).used()).isEqualTo(4);
    assertThat(limit(GPU).waiting()).isEqualTo(8);
    first.end(running.getFirst(), FINISHED);
    assertThat(claimAll(second, 10)).hasSize(1);
  }

  @ParameterizedTest
  @ValueSource(ints = {51, 500, 501, 961, 1_000})
  void aLargeLimitIsExact(int slots) {
    submitLike(Draft.task().under(gpu(slots)), slots + 30);
    Claimer claimer = claimer();

    assertThat(claimAll(claimer, slots + 30)).hasSize(slots);
    assertThat(limit(GPU).used()).isEqualTo(slots);
    assertThat(limit(GPU).slots()).isEqualTo(slots);
  }

  @Test
  void aLimitOf0Blocks() {
    submitLike(Draft.task().under(gpu(0)), 3);

    assertThat(claimAll(claimer(), 10)).isEmpty();
  }

  @Test
  void oneLimitedTypeAmong100LimitsNoOther() {
    List<String> types = IntStream.range(0, 100).mapToObj(i -> "type-" + i).toList();
    LimitKey only = LimitKey.ofType("type-0");
    List<Handled> handled = new ArrayList<>();
    for (String type : types) {
      boolean limited = type.equals("type-0");
      handled.add(limited ? handled(type, new LimitRule(only, 1)) : handled(type));
      Draft draft = Draft.task().type(type);
      submitLike(limited ? draft.under(only, 1) : draft, 3);
    }
    Claimer claimer = Claimer.open(store, "worker", handled);

    List<Claim> claims = claimAll(claimer, 1_000);

    assertThat(claims).hasSize(99 * 3 + 1);
    assertThat(claims).filteredOn(claim -> claim.type().equals("type-0")).hasSize(1);
    assertThat(used(only)).isEqualTo(1);
  }

  @Test
  void aTaskUnderTwoLimitsTakesBothOrNone() {
    submitLike(Draft.task().under(gpu(5)).under(Limit.of("licence", 2)), 5);
    LimitKey licence = LimitKey.shared("licence");
    Claimer claimer = claimer();

    List<Claim> running = claimAll(claimer, 10);

    assertThat(running).hasSize(2);
    assertThat(used(GPU)).isEqualTo(2);
    assertThat(used(licence)).isEqualTo(2);
    claimer.end(running.getFirst(), FINISHED);
    assertThat(used(GPU)).isEqualTo(1);
    assertThat(used(licence)).isEqualTo(1);
  }

  @Test
  void aFullSecondLimitLeaksNoSlotOfTheFirst() {
    submitLike(Draft.task().under(gpu(3)).under(Limit.of("licence", 0)), 5);
    Claimer claimer = claimer();
    assertThat(claimAll(claimer, 10)).isEmpty();
    assertThat(used(GPU)).isZero();

    submitLike(Draft.task().under(gpu(3)), 5);

    assertThat(claimAll(claimer, 10)).hasSize(3);
    assertThat(used(GPU)).isEqualTo(3);
  }

  @Test
  void keysOfOneRuleAreIndependent() {
    LimitKey ada = LimitKey.ofTypePer(Draft.TYPE, "user", "ada");
    LimitKey bob = LimitKey.ofTypePer(Draft.TYPE, "user", "bob");
    submitLike(Draft.task().under(ada, 1), 3);
    submitLike(Draft.task().under(bob, 1), 3);
    Claimer claimer = claimerSaying(new LimitRule(LimitKey.ruleOf(Draft.TYPE, "user"), 1));

    List<Claim> running = claimAll(claimer, 10);

    assertThat(running).hasSize(2);
    assertThat(used(ada)).isEqualTo(1);
    assertThat(used(bob)).isEqualTo(1);
    claimer.end(running.getFirst(), FINISHED);
    assertThat(claimAll(claimer, 10)).hasSize(1);
    assertThat(used(ada)).isEqualTo(1);
    assertThat(used(bob)).isEqualTo(1);
  }

  @Test
  void twoTypesShareAPool() {
    submitLike(Draft.task().type("train").under(gpu(3)), 4);
    submitLike(Draft.task().type("render").under(gpu(3)), 4);
    Claimer trainer = claimer("train");
    Claimer renderer = claimer("render");

    assertThat(claimAll(trainer, 2)).hasSize(2);
    assertThat(claimAll(renderer, 10)).hasSize(1);
    assertThat(claimAll(trainer, 10)).isEmpty();
    assertThat(limit(GPU).holders())
        .extracting(LimitView.Holder::type)
        .containsExactlyInAnyOrder("train", "train", "render");
  }

  @Test
  void aHeavyTaskTakesSeveralSlots() {
    submitLike(Draft.task().under(gpu(4), 2), 3);
    Claimer claimer = claimer();

    assertThat(claimAll(claimer, 10)).hasSize(2);
    assertThat(limit(GPU).used()).isEqualTo(4);
    assertThat(limit(GPU).holders()).extracting(LimitView.Holder::weight).containsExactly(2, 2);
  }

  @Test
  void aHeavyTaskDoesNotOvershoot() {
    submitLike(Draft.task().under(gpu(4)), 3);
    Claimer claimer = claimer();
    List<Claim> light = claimAll(claimer, 10);
    submitLike(Draft.task().under(gpu(4), 2), 1);

    assertThat(claimAll(claimer, 10)).isEmpty();
    claimer.end(light.getFirst(), FINISHED);
    assertThat(claimAll(claimer, 10)).hasSize(1);
    assertThat(used(GPU)).isEqualTo(4);
  }

  @Test
  void aTaskHeavierThanItsLimitWaits() {
    submitLike(Draft.task().under(gpu(4), 5), 1);
    submitLike(Draft.task().under(gpu(4)), 1);
    Claimer claimer = claimer();

    assertThat(claimAll(claimer, 10)).hasSize(1);
    set(GPU, 6);
    assertThat(claimAll(claimer, 10)).hasSize(1);
    assertThat(used(GPU)).isEqualTo(6);
  }

  @Test
  void theViewNamesTheHolders() {
    submitLike(Draft.task().under(gpu(2)), 1);
    Claimer claimer = Claimer.open(store, "worker-7", Draft.TYPE);
    Claim claim = claimer.claimOne();

    LimitView limit = limit(GPU);

    assertThat(limit.slots()).isEqualTo(2);
    assertThat(limit.used()).isEqualTo(1);
    assertThat(limit.waiting()).isZero();
    assertThat(limit.paused()).isFalse();
    assertThat(limit.source()).isEqualTo(LimitView.Source.SUBMIT);
    assertThat(limit.holders())
        .extracting(
            LimitView.Holder::task,
            LimitView.Holder::token,
            LimitView.Holder::type,
            LimitView.Holder::worker)
        .containsExactly(
            tuple(claim.lease().task(), claim.lease().token(), Draft.TYPE, "worker-7"));
  }

  @Test
  void limitsAreListedByKey() {
    submit(Draft.task().under(gpu(2)).under(Limit.of("api", 2)).under(MAIL, 9));
    claimer().claimOne();

    assertThat(reader.limits())
        .extracting(LimitView::key)
        .containsExactly(LimitKey.shared("api"), GPU, MAIL);
  }

  @Test
  void manyKeysRunAtOnce() {
    List<Draft> drafts = new ArrayList<>();
    for (int user = 0; user < 200; user++) {
      LimitKey key = LimitKey.ofTypePer(Draft.TYPE, "user", "" + user);
      drafts.add(Draft.task().under(key, 1));
      drafts.add(Draft.task().under(key, 1));
    }
    submitAll(drafts.toArray(Draft[]::new));
    Claimer claimer = claimer();

    List<Claim> first = claimAll(claimer, 1_000);
    List<Claim> second = endAndClaim(claimer, first, 1_000);

    assertThat(first).hasSize(200);
    assertThat(second).hasSize(200);
    Set<?> all = first.stream().map(Claim::lease).collect(Collectors.toSet());
    assertThat(second).extracting(Claim::lease).noneMatch(all::contains);
  }
}
