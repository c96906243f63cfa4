package dev.berth.cli;

import static dev.berth.cli.Cli.berth;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.berth.Berth;
import dev.berth.embedded.LocalPostgres;
import dev.berth.task.TaskType;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;

/** The commands for schedules, with a worker that finds their times. */
@Timeout(60)
class ScheduleCommandTest {

  private static LocalPostgres server;
  private static String url;
  private static Berth berth;
  private static AutoCloseable worker;

  @BeforeAll
  static void start() {
    server = LocalPostgres.start();
    url = server.createDatabase("schedules");
    berth = Berth.open(url);
    TaskType<String, Void> other = TaskType.of("other", String.class);
    worker = berth.worker().handle(other, (payload, task) -> {}).start();
  }

  @AfterAll
  static void stop() throws Exception {
    worker.close();
    berth.close();
    server.close();
  }

  @AfterEach
  void removeAll() {
    berth.schedules().list().forEach(schedule -> berth.schedules().remove(schedule.name()));
  }

  @Test
  void aScheduleIsAddedShownAndListed() {
    JsonNode added =
        schedule(
                "add",
                "nightly",
                "--type=pack",
                "--payload={\"order\": 42}",
                "--cron=0 3 * * *",
                "--zone=Europe/Berlin",
                "--missed=none",
                "--json")
            .json();
    assertThat(added.get("changed").asBoolean()).isTrue();
    awaitPlanned("nightly");

    assertThat(schedule("show", "nightly").text())
        .contains("Schedule nightly: 0 3 * * * Europe/Berlin")
        .contains("submits    pack in queue default")
        .contains("{\"order\":42}")
        .contains("missed     NONE");
    JsonNode shown = schedule("show", "nightly", "--next=3", "--json").json();
    assertThat(shown.get("next")).hasSize(3);
    assertThat(shown.get("next").get(0)).isEqualTo(shown.get("next_at"));
    assertThat(shown.get("payload").get("order").asInt()).isEqualTo(42);
    assertThat(schedule("list").text()).contains("SCHEDULE").contains("0 3 * * * Europe/Berlin");
    assertThat(schedule("list", "--json").json().get(0).get("overlap").asString())
        .isEqualTo("SKIP");
    assertThat(schedule("show", "nightly").text().lines().filter(l -> l.contains(" 03:00:00 +0")))
        .hasSize(5);
  }

  @Test
  void theSameAgainChangesNothing() {
    String[] add = {"add", "tick", "--type=pack", "--every=2h"};
    assertThat(schedule(add).text().strip()).isEqualTo("Schedule tick is set: every PT2H.");
    assertThat(schedule(add).text().strip()).isEqualTo("Schedule tick was already so: every PT2H.");
  }

  @Test
  void itIsPausedResumedRunAndRemoved() {
    schedule("add", "tick", "--type=pack", "--every=PT2H").text();

    assertThat(schedule("pause", "tick").text().strip()).isEqualTo("Schedule tick is paused.");
    assertThat(schedule("pause", "tick").text()).contains("was already paused");
    assertThat(schedule("list").text()).contains("paused");
    String task = schedule("run", "tick", "--json").json().get("task").asString();
    assertThat(berth("task", "show", task, "--db=" + url).text()).contains("pack");
    assertThat(schedule("run", "tick").failure())
        .startsWith("berth: Nothing was submitted: an earlier task of schedule tick is pending");
    assertThat(schedule("resume", "tick").text().strip()).isEqualTo("Schedule tick is resumed.");
    assertThat(schedule("resume", "tick").text()).contains("was not paused");
    assertThat(schedule("remove", "tick").text().strip()).isEqualTo("Schedule tick is removed.");
    assertThat(schedule("list").text().strip()).isEqualTo("There are no schedules.");
  }

  @Test
  void itsTasksAreUnderTheLimitsThatAreNamed() throws Exception {
    schedule("add", "s", "--type=load", "--every=2h", "--limit=type/load/customer/7=1").text();
    String task = schedule("run", "s", "--json").json().get("task").asString();

    try (Connection connection = DriverManager.getConnection(url);
        Statement statement = connection.createStatement();
        ResultSet row =
            statement.executeQuery(
                "select lane from berth_private.task where id = '" + task + "'")) {
      row.next();
      assertThat(row.getString(1)).isEqualTo("schedule/s type/load/customer/7");
    }
  }

  @Test
  void anUnknownOneIsNamed() {
    schedule("add", "nightly", "--type=pack", "--every=2h").text();
    for (String verb : List.of("show", "pause", "resume", "run", "remove")) {
      assertThat(schedule(verb, "nigthly").failure())
          .isEqualTo(
              "berth: There is no schedule nigthly; 'berth schedule list' lists them. Did you mean"
                  + " nightly?");
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "--cron=0 25 * * *        | Schedule s: \"0 25 * * *\" is not a cron expression (value 25",
        "--cron=0 0 30 2 *        | Schedule s: it would never run: no date fits the cron"
            + " expression \"0 0 30 2 *\". Change its day or its month.",
        "--cron=0 3 * * *;--zone=Mars/Base | Schedule s: the time zone \"Mars/Base\" does not"
            + " exist: use the name of one, such as Europe/Berlin or UTC.",
        "--every=0s               | Schedule s: it cannot run every PT0S: use a time from 100 ms",
        "--missed=ALL             | Schedule s: say when, either with --cron or with --every.",
        "--every=1h;--cron=0 3 * * * | Schedule s: say when, either with --cron or with --every.",
        "--every=1h;--zone=UTC    | Schedule s: --zone is for --cron",
        "--every=1h;--limit=gpu=4 | \"gpu\" is not a limit key: expected limit/NAME",
        "--every=1h;--payload={   | The payload of schedule s is not JSON: "
      })
  void whatIsWrongIsSaid(String options, String error) {
    List<String> arguments = new ArrayList<>(List.of("add", "s", "--type=pack"));
    arguments.addAll(List.of(options.strip().split(";")));

    assertThat(schedule(arguments.toArray(String[]::new)).misuse()).contains(error.strip());
    assertThat(berth.schedules().list()).isEmpty();
  }

  @Test
  void aTimeThatIsNoneIsMisuse() {
    assertThat(schedule("add", "s", "--type=pack", "--every=often").misuse())
        .contains("'often' is not a time: use 500ms, 10s, 5m, 2h, 1d or PT1H30M");
  }

  private static Cli schedule(String... arguments) {
    List<String> all = new ArrayList<>(List.of("schedule"));
    all.addAll(List.of(arguments));
    all.add("--db=" + url);
    return berth(all.toArray(String[]::new));
  }

  private static void awaitPlanned(String name) {
    await().until(() -> berth.schedules().find(name).orElseThrow().nextAt() != null);
  }
}
