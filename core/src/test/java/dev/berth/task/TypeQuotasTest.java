package dev.berth.task;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.berth.limit.LimitKey;
import dev.berth.limit.Quota;
import dev.berth.limit.WhenFull;
import java.util.List;
import org.junit.jupiter.api.Test;

class TypeQuotasTest {

  private record Backup(String database, int order) {}

  private static final LimitKey ALL = LimitKey.ofType("backup");
  private static final LimitKey SALES = LimitKey.ofTypePer("backup", "db", "sales");

  private final TaskType<Backup, Void> type = TaskType.of("backup", Backup.class);

  @Test
  void aTypeHasNoQuotaUnlessItSaysSo() {
    assertThat(quotas(type)).isEmpty();
    assertThat(quotas(type.limit(5))).isEmpty();
  }

  @Test
  void aTaskIsUnderAllQuotasOfItsType() {
    assertThat(quotas(type.quota(5).quotaPer("db", Backup::database, 2).limit(1)))
        .containsExactly(new Quota(ALL, 5, WhenFull.REFUSE), new Quota(SALES, 2, WhenFull.REFUSE));
    assertThat(SALES.value()).isEqualTo("type/backup/db/sales");
  }

  @Test
  void whatHappensWhenItIsFullIsAChoice() {
    assertThat(
            quotas(
                type.quota(5, WhenFull.REPLACE)
                    .quotaPer("db", Backup::database, 2, WhenFull.CANCEL)))
        .containsExactly(new Quota(ALL, 5, WhenFull.REPLACE), new Quota(SALES, 2, WhenFull.CANCEL));
  }

  @Test
  void uniqueIsAQuotaOf1ThatAnswersWithTheOneThatIsThere() {
    LimitKey order = LimitKey.ofTypePer("backup", "order", "7");

    assertThat(quotas(type.uniquePer("order", Backup::order)))
        .containsExactly(new Quota(order, 1, WhenFull.EXISTING));
    assertThat(quotas(type.uniquePer("order", Backup::order, WhenFull.REPLACE)))
        .containsExactly(new Quota(order, 1, WhenFull.REPLACE));
  }

  @Test
  void theLastNumberOfATypeCounts() {
    assertThat(quotas(type.quota(5).quota(0))).containsExactly(new Quota(ALL, 0, WhenFull.REFUSE));
  }

  @Test
  void aQuotaOf0Refuses() {
    assertThat(new Quota(ALL, 0, WhenFull.REPLACE).whenFull()).isEqualTo(WhenFull.REFUSE);
  }

  @Test
  void theOneThatChangesLeastComesFirstThenTheNarrowest() {
    Quota replaceAll = new Quota(ALL, 5, WhenFull.REPLACE);
    Quota replaceSales = new Quota(SALES, 2, WhenFull.REPLACE);
    Quota refuse = new Quota(LimitKey.shared("disk"), 9, WhenFull.REFUSE);

    assertThat(Quota.inOrder(List.of(replaceAll, refuse, replaceSales)))
        .containsExactly(refuse, replaceSales, replaceAll);
  }

  @Test
  void aQuotaIsNamedOnce() {
    assertRefused(
        () -> type.quotaPer("db", Backup::database, 1).uniquePer("db", Backup::order),
        "The type backup already has a quota per db");
    Quota quota = new Quota(ALL, 5, WhenFull.REFUSE);
    assertRefused(() -> Quota.inOrder(List.of(quota, quota)), "under a quota only once");
  }

  @Test
  void numbersThatCannotBeAreRefused() {
    assertRefused(
        () -> type.quota(-1), "The quota type/backup cannot be -1: use 0 (refuses all) to 1000000");
    assertRefused(() -> type.quota(1_000_001), "The quota type/backup cannot be 1000001");
    assertRefused(
        () -> type.quotaPer("db", Backup::database, -2), "The quota type/backup/db cannot be -2");
    assertRefused(() -> type.quotaPer(" ", Backup::database, 1), "blank");
  }

  @Test
  void aTaskWithoutItsKeyIsRefused() {
    TypeQuotas<Backup> quotas = type.quotaPer("db", Backup::database, 1).limits().quotas();

    assertRefused(
        () -> quotas.of("backup", new Backup(" ", 1)),
        "A task of type backup needs a db for its quota, but it was blank");
  }

  private static List<Quota> quotas(TaskType<Backup, Void> of) {
    return of.limits().quotas().of("backup", new Backup("sales", 7));
  }

  private static void assertRefused(Runnable making, String reason) {
    assertThatThrownBy(making::run)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(reason);
  }
}
