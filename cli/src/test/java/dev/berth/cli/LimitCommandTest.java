package dev.berth.cli;

import static dev.berth.cli.Cli.berth;
import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.Berth;
import dev.berth.embedded.LocalPostgres;
import dev.berth.limit.Limit;
import dev.berth.task.TaskId;
import dev.berth.task.TaskType;
import java.sql.DriverManager;
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

/** The commands for limits, while two tasks hold all slots of one and a third waits. */
@Timeout(60)
class LimitCommandTest {

  private static final Limit GPU = Limit.of("gpu", 2);
  private static final TaskType<Frame, Void> RENDER =
      TaskType.of("render", Frame.class).under(GPU).limitPer("film", Frame::film, 9);

  private static LocalPostgres server;
  private static int databases;

  record Frame(String film) {}

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
    url = server.createDatabase("limits_" + databases);
    berth = Berth.open(url);
    try (var connection = DriverManager.getConnection(url);
        var statement = connection.createStatement()) {
      // no token is the number of a slot, too
      statement.execute("select setval('berth_private.token', 1000)");
    }
    for (int i = 0; i < 3; i++) {
      tasks.add(berth.submit(RENDER, new Frame("Metropolis")));
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
  void listsLimits() {
    assertThat(limit("status").text())
        .startsWith("LIMIT ")
        .containsPattern("limit/gpu +2 +2 +1 +code +full")
        .containsPattern("type/render/film/Metropolis +9 +2 +1 +code");
    assertThat(limit("status", "--json").json())
        .extracting(limit -> limit.get("key").asString())
        .contains("limit/gpu", "type/render/film/Metropolis");
  }

  @Test
  void showsWhoHoldsASlot() {
    assertThat(limit("status", "limit/gpu").text())
        .containsPattern("SLOT +SLOTS +TOKEN +TASK +TYPE +WORKER")
        .containsPattern("[12] +1 +\\d+ +" + tasks.get(0) + " +render +renderer")
        .containsPattern("[12] +1 +\\d+ +" + tasks.get(1) + " +render +renderer")
        .doesNotContain(tasks.get(2).toString());
    JsonNode gpu = limit("status", "limit/gpu", "--json").json();
    assertThat(gpu.propertyNames())
        .containsExactly("key", "slots", "used", "waiting", "paused", "source", "holders");
    assertThat(gpu.get("used").asInt()).isEqualTo(2);
    assertThat(gpu.get("waiting").asInt()).isEqualTo(1);
    assertThat(gpu.get("holders")).hasSize(2);
    JsonNode holder = gpu.get("holders").get(0);
    assertThat(holder.get("worker").asString()).isEqualTo("renderer");
    assertThat(holder.get("slots").asInt()).isEqualTo(1);
    assertThat(holder.get("token").asLong()).isPositive();
  }

  @Test
  void setsANumberAndLetsTheCodesCountAgain() throws Exception {
    assertThat(limit("set", "limit/gpu", "--slots", "1").text())
        .contains("Limit limit/gpu has 1 slot. 2 are in use: nothing starts until there is room.");
    assertThat(limit("status").text()).containsPattern("limit/gpu +1 +2 +1 +hand +draining");
    assertThat(limit("set", "limit/gpu", "--slots", "1").text()).contains("had already 1 slot");
    JsonNode reset = limit("reset", "limit/gpu", "--json").json();
    assertThat(reset.get("changed").asBoolean()).isTrue();
    assertThat(reset.get("slots").asInt()).isEqualTo(2);
    assertThat(limit("reset", "limit/gpu").text())
        .contains("Limit limit/gpu has 2 slots, as the code says. It was not set by hand.");

    JsonNode three = limit("set", "limit/gpu", "--slots", "3", "--json").json();
    assertThat(three.get("slots").asInt()).isEqualTo(3);
    assertThat(three.get("source").asString()).isEqualTo("OVERRIDE");
    goOn.countDown();
    berth.await(RENDER, tasks.get(2), Duration.ofSeconds(30));
  }

  @Test
  void setsTheNumberOfAllKeysOfAType() {
    assertThat(limit("set", "type/render/film", "--slots", "5").text())
        .contains("Limit type/render/film has 5 slots.");
    assertThat(limit("status", "type/render/film/Metropolis").text())
        .containsPattern("Metropolis +5");
  }

  @Test
  void pausesAndResumes() {
    assertThat(limit("pause", "limit/gpu").text()).contains("Limit limit/gpu is paused.");
    assertThat(limit("pause", "limit/gpu").text()).contains("was already paused");
    assertThat(limit("status").text()).containsPattern("limit/gpu .* paused");
    assertThat(limit("resume", "limit/gpu").text()).contains("Limit limit/gpu is resumed.");
    JsonNode again = limit("resume", "limit/gpu", "--json").json();
    assertThat(again.get("changed").asBoolean()).isFalse();
    assertThat(again.get("paused").asBoolean()).isFalse();
  }

  @Test
  void freesTheSlotOfADeadHolder() throws Exception {
    String task = tasks.get(0).toString();
    assertThat(limit("release", "limit/gpu", task).failure())
        .contains("Nothing was done: Task " + task + " holds 1 slot of limit/gpu.")
        .contains("If worker renderer is dead, its slots come back by themselves")
        .contains("--force");
    assertThat(berth.find(tasks.get(0)).orElseThrow().counts().crashes()).isZero();

    assertThat(limit("release", "limit/gpu", task, "--force").text())
        .contains("1 slot of limit/gpu is free; task " + task + " goes back to its queue.");

    assertThat(berth.find(tasks.get(0)).orElseThrow().counts().crashes()).isEqualTo(1);
    goOn.countDown();
    for (TaskId each : tasks) {
      berth.await(RENDER, each, Duration.ofSeconds(30));
    }
  }

  @Test
  void aSlotIsNamedByItsNumberOrToken() {
    JsonNode holders = limit("status", "limit/gpu", "--json").json().get("holders");
    String slot = holders.get(0).get("slot").asString();
    String token = holders.get(1).get("token").asString();
    assertThat(limit("release", "limit/gpu", slot, "--force", "--json").json().get("changed"))
        .isNotNull();
    assertThat(limit("release", "limit/gpu", token, "--force").text()).contains("is free");
    assertThat(limit("release", "limit/gpu", token, "--force").failure())
        .contains("Nobody holds slot " + token + " of limit/gpu;");
    assertThat(limit("release", "limit/cpu", "1", "--force").failure())
        .contains("There is no limit limit/cpu", "Did you mean limit/gpu?");
  }

  @Test
  void suggestsAKnownLimit() {
    for (String verb : List.of("status", "reset", "resume")) {
      assertThat(limit(verb, "limit/cpu").failure())
          .contains("There is no limit limit/cpu", "Did you mean limit/gpu?");
    }
    assertThat(limit("status", "limit/printers").failure()).doesNotContain("Did you mean");
    assertThat(limit("status", "type/render/film/M").failure())
        .contains("No task holds a slot of type/render/film/M");
    assertThat(limit("set", "limit/gpus", "--slots", "4").text())
        .contains("Nothing was known of this limit before. Did you mean limit/gpu?");
  }

  @Test
  void saysWhatAKeyLooksLike() {
    assertThat(limit("pause", "gpu").misuse())
        .contains(
            "\"gpu\" is not a limit key: expected limit/NAME, topic/NAME, schedule/NAME, type/TYPE")
        .contains("Did you mean limit/gpu or type/gpu?");
    assertThat(limit("status", "limit/a%b").misuse()).contains("write %25 for a percent sign");
    assertThat(limit("set", "limit/gpu").misuse()).contains("--slots");
    assertThat(limit("set", "limit/gpu", "--slots", "-1").misuse())
        .contains("The limit limit/gpu cannot have -1 slots: use 0 (blocks) to 1000000");
    assertThat(berth("limit").misuse()).contains("status", "set", "reset", "pause", "resume");
  }

  private Cli limit(String verb, String... more) {
    List<String> words = new ArrayList<>(List.of("limit", verb));
    words.addAll(List.of(more));
    words.addAll(List.of("--db", url));
    return berth(words.toArray(String[]::new));
  }
}
