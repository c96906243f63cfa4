package dev.berth.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** To explain a task costs the same however many wait before it. Pages are counted, not time. */
class ExplainCostTest {

  private static final Pattern PAGES =
      Pattern.compile("Buffers: shared(?: hit=(\\d+))?(?: read=(\\d+))?");

  private final TestDatabase database = TestDatabase.on(Servers.NEWEST);

  @AfterEach
  void close() {
    database.close();
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void theTasksBeforeItAreNotAllCounted(boolean open) {
    wait(0, 12_000, open);
    long few = pages();
    wait(12_000, 120_000, open);

    assertThat(pages()).as("after %d pages for a tenth as many", few).isLessThan(few * 3 / 2);
  }

  /** Tasks that wait; the one that is explained comes last. */
  private void wait(int from, int to, boolean open) {
    database.run(
        """
        insert into berth_private.task (id, position, due_at, submitted_at, state, type, queue, payload, lane, limits, weights,
          said_slots)
        select gen_random_uuid(), n.at, n.at, n.at, 'ready', 'mail', 'default', '{}', %s
          from (select berth_private.now() - interval '1 hour' + i * interval '1 microsecond'
                  from generate_series(%d, %d) as i) n (at)
        """
            .formatted(
                open ? "null, null, null, null" : "'limit/gpu', '{limit/gpu}', '{1}', '{0}'",
                from + 1,
                to));
  }

  private long pages() {
    String last = database.one("select id from berth_private.task order by position desc limit 1");
    String explain = "select * from berth.explain('" + last + "')";
    assertThat(database.query(explain)).contains("place");
    String plan =
        String.join("\n", database.query("explain (analyze, buffers, timing off) " + explain));
    Matcher pages = PAGES.matcher(plan);
    assertThat(pages.find()).as(plan).isTrue();
    return number(pages.group(1)) + number(pages.group(2));
  }

  private static long number(String digits) {
    return digits == null ? 0 : Long.parseLong(digits);
  }
}
