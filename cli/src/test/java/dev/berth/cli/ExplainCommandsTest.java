package dev.berth.cli;

import static dev.berth.cli.Cli.berth;
import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.Berth;
import dev.berth.embedded.LocalPostgres;
import dev.berth.limit.Limit;
import dev.berth.task.TaskId;
import dev.berth.task.TaskType;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** explain, audit and doctor, while two tasks hold all slots of a limit and two more wait. */
@Timeout(60)
class ExplainCommandsTest {

  private static final TaskType<Frame, Void> RENDER =
      TaskType.of("render", Frame.class).under(Limit.of("gpu", 2));

  private static LocalPostgres server;
  private static int databases;

  record Frame(int number) {}

  private final CountDownLatch running = new CountDownLatch(2);
  private final CountDownLatch goOn = new CountDownLatch(1);
  private final List<TaskId> tasks = new ArrayList<>();
  private String url;
  private Berth berth;
  private AutoCloseable worker;

  @BeforeAll
  static void startServer() {
    server = LocalPostgres.start();
  }

  @AfterAll
  static void stopServer() {
    server.close();
  }

  @BeforeEach
  void start() throws Exception {
    databases++;
    url = server.createDatabase("explain_" + databases);
    berth = Berth.open(url);
    for (int i = 0; i < 4; i++) {
      tasks.add(berth.submit(RENDER, new Frame(i)));
    }
    worker =
        berth
            .worker()
            .name("renderer")
            .handle(
                RENDER,
                (frame, task) -> {
                  running.countDown();
                  goOn.await();
                })
            .start();
    running.await();
  }

  @AfterEach
  void stop() throws Exception {
    goOn.countDown();
    worker.close();
    berth.close();
  }

  @Test
  void explainsWhoHoldsTheSlotsThatATaskWaitsFor() {
    String last = tasks.get(3).toString();
    assertThat(berth("explain", last, "--db", url).text())
        .contains(
            "Task " + last + ", render in queue default, is pending.",
            "Limit limit/gpu is full: 2 of 2 slots are in use.",
            tasks.get(0).toString(),
            tasks.get(1).toString(),
            "renderer",
            "  FOR",
            "1 task is before it in its line.")
        .doesNotContain("Nothing is in its way", "starts in about");

    JsonNode json = berth("explain", last, "--db", url, "--json").json();
    assertThat(json.get("state").asString()).isEqualTo("PENDING");
    assertThat(json.get("ahead").asInt()).isEqualTo(1);
    assertThat(json.get("more").asBoolean()).isFalse();
    JsonNode full = json.get("obstacles").get(0);
    assertThat(full.get("reason").asString()).isEqualTo("limit_full");
    assertThat(full.get("key").asString()).isEqualTo("limit/gpu");
    assertThat(full.get("used").asInt()).isEqualTo(2);
    assertThat(full.get("holders")).hasSize(2);
    assertThat(full.get("holders").get(0).get("running_ms").asLong()).isNotNegative();
    assertThat(full.get("holders").get(0).get("since").asString()).contains("T");
  }

  @Test
  void explainsWhatElseIsInTheWay() {
    String last = tasks.get(3).toString();
    berth("queue", "pause", "default", "--db", url).text();
    berth("limit", "pause", "limit/gpu", "--db", url).text();
    berth("limit", "set", "limit/gpu", "--slots", "1", "--db", url).text();
    assertThat(berth("explain", last, "--db", url).text())
        .contains(
            "Queue default is paused: berth queue resume default.",
            "Limit limit/gpu is paused: berth limit resume limit/gpu.",
            "Limit limit/gpu was lowered to 1 slot while 2 are in use");
    berth("limit", "set", "limit/gpu", "--slots", "0", "--db", url).text();
    assertThat(berth("explain", last, "--db", url).text()).contains("limit/gpu has no slots");

    TaskId later = berth.submit(RENDER, new Frame(9), o -> o.delay(Duration.ofHours(1)));
    assertThat(berth("explain", later.toString(), "--db", url).text())
        .contains("It is due at ")
        .doesNotContain("in its line");
    TaskId alone = berth.submit(RENDER, new Frame(9), o -> o.queue("night"));
    assertThat(berth("explain", alone.toString(), "--db", url).text())
        .contains("No live worker reads queue night and handles render.", "the first in its line");
  }

  @Test
  void explainsRunningAndEndedTasks() {
    String first = tasks.getFirst().toString();
    assertThat(berth("explain", first, "--db", url).text())
        .contains("runs on worker renderer since ", "It holds 1 slot of limit/gpu.");
    JsonNode json = berth("explain", first, "--db", url, "--json").json();
    assertThat(json.get("slots").get(0).get("key").asString()).isEqualTo("limit/gpu");

    String last = tasks.getLast().toString();
    berth("task", "cancel", last, "--db", url, "--reason", "not wanted").text();
    assertThat(berth("explain", last, "--db", url).text())
        .contains("is cancelled since", "not wanted");
    String unknown = TaskId.next().toString();
    assertThat(berth("explain", unknown, "--db", url).failure())
        .contains("There is no task " + unknown);
  }

  @Test
  void auditsTheHistory() throws Exception {
    assertThat(berth("audit", "--db", url).text())
        .containsPattern("limit/gpu +2 +2 ")
        .contains("No limit was exceeded.");
    JsonNode json = berth("audit", "limit/gpu", "--db", url, "--json").json();
    assertThat(json.get("over").asBoolean()).isFalse();
    assertThat(json.get("limits").get(0).get("peak").asInt()).isEqualTo(2);
    assertThat(berth("audit", "limit/none", "--db", url).text()).contains("no task that ran");
    assertThat(berth("audit", "gpu", "--db", url).misuse()).contains("limit/gpu");

    sql(
        """
        insert into berth_private.task_history (task_id, submitted_at, due_at, started_at, ended_at, keep_until, outcome,
          attempt, failures, crashes, priority, final, type, queue, limits, weights)
        select gen_random_uuid(), n, n, n, n + interval '1 hour', '2999-01-01', 'finished', 1, 0, 0, 5, true, 'render',
               'default', array['limit/gpu'], array[1]
          from (values (now() - interval '1 minute')) as v (n), generate_series(1, 3)
        """);
    Cli found = berth("audit", "--db", url);
    assertThat(found.exit()).isEqualTo(1);
    assertThat(found.out()).contains("OVER", "1 limit was exceeded.");
    assertThat(found.err()).isEmpty();
    assertThat(berth("audit", "--db", url, "--since", "2999-01-01T00:00:00Z").exit()).isZero();
  }

  @Test
  void findsAndFixesDrift() throws Exception {
    assertThat(berth("doctor", "--db", url).text()).contains("All is well");
    assertThat(berth("doctor", "--fix", "--db", url, "--json").json().get("drift")).isEmpty();

    // one too many: one too few would let a third task start, and then it would be right
    sql("update berth_private.slot_group set used = 2 where key = 'limit/gpu' and number = 1");
    Cli found = berth("doctor", "--db", url);
    assertThat(found.exit()).isEqualTo(1);
    assertThat(found.out())
        .contains("Limit limit/gpu, slot group 1: 2 in use are counted, running tasks hold 1.")
        .contains("berth doctor --fix");
    JsonNode json = new JsonMapper().readTree(berth("doctor", "--db", url, "--json").out());
    assertThat(json.get("fixed").asBoolean()).isFalse();
    assertThat(json.get("drift").get(0).get("counter").asString()).isEqualTo("USED");

    assertThat(berth("doctor", "--fix", "--db", url).text())
        .contains("All of it was counted anew.");
    assertThat(berth("doctor", "--db", url).text()).contains("All is well");
  }

  private void sql(String statement) throws SQLException {
    try (var connection = DriverManager.getConnection(url);
        var call = connection.createStatement()) {
      call.execute(statement);
    }
  }
}
