package dev.berth.cli;

import static dev.berth.cli.Cli.berth;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.berth.Berth;
import dev.berth.embedded.LocalPostgres;
import dev.berth.limit.Limit;
import dev.berth.limit.LimitKey;
import dev.berth.task.Retry;
import dev.berth.task.TaskId;
import dev.berth.task.TaskType;
import dev.berth.worker.Worker;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tasks, names and errors that try to command the terminal of whoever looks at them. */
class HostileTextTest {

  /** Clears the screen, fills the clipboard, rings, and begins a line of its own. */
  private static final String EVIL =
      "\u001b[2J\u001b]52;c;ZXZpbA==\u0007\u009b2J\r\nstate      FINISHED\u202e\u2028";

  /** Names may hold no control character; marks of direction are none. */
  private static final String MARK = "\u202e";

  private static final Pattern ACTING =
      Pattern.compile("[\\p{Cc}\\p{Cf}\\p{Cs}\\u2028\\u2029&&[^\\n]]");

  private static final Limit GPU = Limit.of("gp" + MARK + "u", 1);
  private static final String GPU_KEY = GPU.key().value();
  private static final TaskType<String, String> WORK =
      TaskType.of("wo" + MARK + "rk", String.class)
          .returning(String.class)
          .queue("qu" + MARK + "eue")
          .retry(Retry.never())
          .under(GPU)
          .limitPer("us" + MARK + "er", text -> "ad" + MARK + "a", 5);

  private static final CountDownLatch GO_ON = new CountDownLatch(1);

  private static LocalPostgres server;
  private static String url;
  private static Berth berth;
  private static Worker worker;
  private static TaskId failed;
  private static TaskId finished;
  private static TaskId running;
  private static TaskId waiting;

  @BeforeAll
  static void start() throws Exception {
    server = LocalPostgres.start();
    url = server.createDatabase("shop");
    berth("migrate", "--db", url).text();
    berth = Berth.open(url);
    worker =
        berth
            .worker()
            .name("pa" + MARK + "cker")
            .heartbeatInterval(Duration.ofMillis(50))
            .answer(WORK, (text, task) -> work(text, task.metadata(), task::progress))
            .start();
    finished = submit("finish");
    berth.await(WORK, finished, Duration.ofSeconds(30));
    failed = submit("fail");
    await().until(() -> berth.find(failed).orElseThrow().state().ended());
    running = submit("run");
    waiting = submit("wait");
    await().until(() -> berth.find(running).orElseThrow().report().progress() != null);
    berth.workflow("or" + MARK + "der").then("pa" + MARK + "ck", WORK, "fail").submit();
    berth.schedule("ni" + MARK + "ghtly").every(Duration.ofDays(1)).submits(WORK, "finish" + EVIL);
    sql("select berth.set_schedule('broken', 'x', cron => '99 * * *\u000b*')");
    await().until(() -> berth.schedules().find("broken").orElseThrow().error() != null);
  }

  private interface Progress {
    void say(String text);
  }

  private static String work(String text, Map<String, String> metadata, Progress progress)
      throws InterruptedException {
    if (text.equals("run")) {
      progress.say("half" + EVIL);
      GO_ON.await();
    }
    if (text.equals("fail")) {
      throw new IllegalStateException("no" + EVIL);
    }
    return "done" + EVIL + metadata;
  }

  @AfterAll
  static void stop() {
    GO_ON.countDown();
    worker.close();
    berth.close();
    server.close();
  }

  @Test
  void aTask() {
    assertThat(clean("task", "list")).contains("wo\\u202erk", "qu\\u202eeue");
    String shown = clean("task", "show", failed.toString());
    assertThat(shown)
        .contains("\nerror      java.lang.IllegalStateException: no\\u001b[2J\\u001b]52;c;")
        .contains("\n           state      FINISHED\\u202e\\u2028")
        .contains("\\u0007\\u009b2J")
        .contains("metadata   {note=\\u001b[2J")
        .contains("pa\\u202ecker");
    assertThat(shown.lines().filter(line -> line.startsWith("state"))).hasSize(1);
    assertThat(clean("task", "show", finished.toString())).contains("result     \"done\\u001B");
    assertThat(clean("task", "show", running.toString())).contains("progress   half\\u001b");
    TaskId cancelled = submit("wait");
    clean("task", "cancel", cancelled.toString(), "--reason", "not" + EVIL);
    assertThat(clean("task", "show", cancelled.toString())).contains("error      not\\u001b");
    clean("task", "retry", cancelled.toString());
  }

  @Test
  void aQueue() {
    String name = "ca" + MARK + "lm";
    assertThat(clean("queue", "pause", name)).contains("Queue ca\\u202elm is paused.");
    assertThat(clean("queue", "list")).contains("ca\\u202elm", "qu\\u202eeue");
    assertThat(clean("queue", "resume", name)).contains("Queue ca\\u202elm is running.");
  }

  @Test
  void aLimitAndWhoHoldsIt() {
    String rule = LimitKey.ruleOf(WORK.name(), "us" + MARK + "er").value();
    assertThat(clean("limit", "status")).contains("limit/gp\\u202eu", "us\\u202eer/ad\\u202ea");
    assertThat(clean("limit", "status", GPU_KEY)).contains("wo\\u202erk", "pa\\u202ecker");
    assertThat(clean("limit", "set", rule, "--slots", "4")).contains("us\\u202eer has 4 slots");
    assertThat(clean("limit", "pause", rule)).contains("us\\u202eer is paused");
    assertThat(clean("limit", "resume", rule)).contains("us\\u202eer is resumed");
    assertThat(clean("limit", "reset", rule)).contains("us\\u202eer");
    assertThat(berth("limit", "release", GPU_KEY, running.toString(), "--db", url).failure())
        .contains("of limit/gp\\u202eu. If worker pa\\u202ecker is dead")
        .doesNotContainPattern(ACTING);
    assertThat(clean("audit")).contains("limit/gp\\u202eu", "us\\u202eer/ad\\u202ea");
  }

  @Test
  void whyATaskDoesNotRun() {
    assertThat(clean("explain", waiting.toString()))
        .contains("wo\\u202erk in queue qu\\u202eeue", "Limit limit/gp\\u202eu is full")
        .contains("1 of 1 slot is in use", "pa\\u202ecker");
    assertThat(clean("explain", running.toString())).contains("worker pa\\u202ecker");
    assertThat(clean("explain", failed.toString())).contains("Exception: no\\u001b[2J");
  }

  @Test
  void aWorker() {
    assertThat(clean("worker", "list")).contains("pa\\u202ecker", "qu\\u202eeue");
  }

  @Test
  void aWorkflowAndItsSteps() {
    String name = "or" + MARK + "der";
    assertThat(clean("workflow")).contains("or\\u202eder", "pa\\u202eck");
    assertThat(clean("workflow", name)).contains("Workflow or\\u202eder", "pa\\u202eck");
    assertThat(clean("workflow", "cancel", name)).contains("Workflow or\\u202eder is cancelled.");
    assertThat(clean("workflow", "retry", name)).contains("Workflow or\\u202eder goes on.");
    assertThat(clean("workflow", "skip", name, "pa" + MARK + "ck")).contains("Step pa\\u202eck");
  }

  @Test
  void aSchedule() {
    String name = "ni" + MARK + "ghtly";
    assertThat(clean("schedule", "list"))
        .contains("ni\\u202eghtly", "wo\\u202erk", "error: ", "99 * * *\\u000b*");
    assertThat(clean("schedule", "show", name)).contains("qu\\u202eeue", "finish\\u001B");
    assertThat(clean("schedule", "show", "broken")).contains("99 * * *\\u000b*");
    assertThat(clean("schedule", "pause", name)).contains("ni\\u202eghtly is paused");
    assertThat(clean("schedule", "resume", name)).contains("ni\\u202eghtly is resumed");
    assertThat(clean("schedule", "run", name)).contains("of schedule ni\\u202eghtly");
    String other = "da" + MARK + "ily";
    assertThat(clean("schedule", "add", other, "--type", WORK.name(), "--every", "1d"))
        .contains("Schedule da\\u202eily is set");
    assertThat(clean("schedule", "remove", other)).contains("da\\u202eily is removed");
  }

  @Test
  void whatADoctorFinds() throws SQLException {
    String key = "limit/no" + MARK + "\u001b[2J";
    sql(
        "insert into berth_private.task_limit (key, override_slots, slots) values ('%s', 1, 1)"
            .formatted(key));
    try {
      Cli answer = call(List.of("doctor"));
      assertThat(answer.out()).contains("limit/no\\u202e").doesNotContainPattern(ACTING);
    } finally {
      sql("delete from berth_private.task_limit where key = '" + key + "'");
    }
  }

  @Test
  void aTopic() {
    String name = "re" + MARK + "ports";
    assertThat(clean("topic", "set", name, "--max-parallel", "2")).contains("Topic re\\u202eports");
    assertThat(clean("topic", "list")).contains("re\\u202eports");
    assertThat(clean("topic", "reset", name)).contains("Topic re\\u202eports");
  }

  @ParameterizedTest
  @ValueSource(strings = {"task", "queue", "limit", "workflow", "schedule"})
  void aSentenceAboutAFailure(String of) {
    String name = "no" + MARK + "ne";
    List<String> call =
        switch (of) {
          case "task" -> List.of("task", "list", "--type", name, "--queue", name);
          case "queue" -> List.of("queue", "pause", "a" + EVIL);
          case "limit" -> List.of("limit", "status", "limit/" + name);
          case "workflow" -> List.of("workflow", name);
          default -> List.of("schedule", "show", name);
        };
    Cli answer = call(call);
    assertThat(answer.out() + answer.err()).isNotBlank().doesNotContainPattern(ACTING);
  }

  /** What the command answers for people, once it is checked. */
  private static String clean(String... call) {
    String text = call(List.of(call)).text();
    assertThat(text).doesNotContainPattern(ACTING);
    return text;
  }

  private static Cli call(List<String> words) {
    List<String> call = new ArrayList<>(words);
    call.addAll(List.of("--db", url));
    return berth(call.toArray(String[]::new));
  }

  private static TaskId submit(String text) {
    return berth.submit(WORK, text, o -> o.metadata(Map.of("note", EVIL)));
  }

  private static void sql(String statement) throws SQLException {
    try (var connection = DriverManager.getConnection(url);
        var prepared = connection.createStatement()) {
      prepared.execute(statement);
    }
  }
}
