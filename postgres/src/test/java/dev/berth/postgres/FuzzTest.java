package dev.berth.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.limit.LimitKey;
import dev.berth.limit.WhenFull;
import dev.berth.store.Claim;
import dev.berth.store.Command;
import dev.berth.task.Due;
import dev.berth.task.Outcome;
import dev.berth.task.TaskId;
import dev.berth.testkit.Claimer;
import dev.berth.testkit.Draft;
import dev.berth.view.TaskFilter;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * Every function of the schema and every entry of the store with values from the edges. They may
 * refuse; but afterwards a sweep, an exchange, the list of tasks and the limits work, and nothing
 * is lost. {@code -Dberth.fuzz=NUMBER} makes so many calls, {@code -Dberth.seed=NUMBER} repeats a
 * run.
 */
class FuzzTest {

  private static final int CALLS = Integer.getInteger("berth.fuzz", 110);
  private static final long SEED =
      Long.getLong("berth.seed", ThreadLocalRandom.current().nextInt(1_000_000_000));

  private static final String KEPT = "kept";

  /** What goes wrong inside the server, or does not end. */
  private static final List<String> FAULTS = List.of("XX", "57", "53", "58");

  private final PostgresFixture fixture = PostgresFixture.on(Servers.NEWEST);
  private final String url = fixture.database().url();
  private final Random random = new Random(SEED);
  private final Claimer claimer = Claimer.open(fixture.store(), "fuzz", "t", "mail");

  private String sessionAndProof = "1, null";
  private List<String> ids = List.of();
  private List<String> tokens = List.of();

  @AfterEach
  void close() {
    fixture.close();
  }

  @Test
  void everySqlFunction() throws SQLException {
    System.out.println("Seed of FuzzTest.everySqlFunction: " + SEED);
    List<String> functions =
        fixture
            .database()
            .query(
                """
                select p.proname || '|' || coalesce((
                         select string_agg(format_type(a.type, null), ',' order by a.place)
                           from unnest(p.proargtypes) with ordinality as a (type, place)), '')
                  from pg_proc p
                 where p.pronamespace = 'berth'::regnamespace and p.prorettype <> 'trigger'::regtype
                union all
                select 'insert into berth.' || c.relname || ' (' || string_agg(a.attname, ', ' order by a.attnum) || ') select |'
                       || string_agg(format_type(a.atttypid, null), ',' order by a.attnum)
                  from pg_class c join pg_attribute a on a.attrelid = c.oid
                 where c.relnamespace = 'berth'::regnamespace and a.atttypid <> 'name'::regtype
                   and exists (select from pg_trigger t where t.tgrelid = c.oid)
                 group by c.relname
                 order by 1
                """);
    assertThat(functions).hasSizeGreaterThan(50);
    keep(20);
    try (Connection connection = DriverManager.getConnection(url);
        Statement statement = connection.createStatement()) {
      statement.execute("set statement_timeout = '60s'");
      for (int i = 0; i < CALLS; i++) {
        String call =
            call(functions.get(i < functions.size() ? i : random.nextInt(functions.size())));
        if (i % 10 == 0) {
          know();
        }
        String where = "seed " + SEED + ", call " + i + ": " + call;
        try {
          statement.execute(call);
        } catch (SQLException refused) {
          assertThat(FAULTS)
              .as(where + " failed with " + refused.getMessage())
              .noneMatch(refused.getSQLState()::startsWith);
        }
        goOn(where);
      }
    }
    nothingIsLost(20);
  }

  @Test
  void everyEntryOfTheStore() {
    System.out.println("Seed of FuzzTest.everyEntryOfTheStore: " + SEED);
    keep(20);
    for (int i = 0; i < CALLS / 2; i++) {
      StringBuilder where = new StringBuilder("seed " + SEED + ", call " + i + ": ");
      try {
        store(i % 14, where);
      } catch (RuntimeException refused) {
        assertThat(refused).as(where.toString()).isNotInstanceOf(NullPointerException.class);
      }
      goOn(where.toString());
    }
    nothingIsLost(20);
  }

  private void store(int which, StringBuilder where) {
    var store = fixture.store();
    String name = text();
    where.append(which).append(' ').append(name);
    switch (which) {
      case 0 -> submit(Draft.task().type(name));
      case 1 -> submit(Draft.task().queue(name));
      case 2 -> submit(Draft.task().due(Due.at(instant())));
      case 3 -> submit(Draft.task().delay(duration()));
      case 4 -> submit(Draft.task().metadata(Map.of(name, text())));
      case 5 -> submit(Draft.task().under(new LimitKey(name), number()));
      case 6 ->
          submit(
              Draft.task()
                  .under(LimitKey.ofTypePer("mail", text(), name), number())
                  .under(LimitKey.shared(text()), 1)
                  .delay(Duration.ofMillis(1)));
      case 7 ->
          submit(
              Draft.task()
                  .quota(LimitKey.ofTypePer("mail", "a", name), number(), WhenFull.REPLACE));
      case 8 -> submit(Draft.task().step(name, text()));
      case 9 -> store.apply(new Command.SetLimit(new LimitKey(name), number(), duration()));
      case 10 -> store.apply(new Command.PauseQueue(name));
      case 11 -> submit(Draft.task().priority(number()).payload(name));
      case 12 -> store.reader().list(new TaskFilter(Set.of(), name, text(), number()));
      default -> store.reader().find(TaskId.named("fuzz", name));
    }
  }

  /**
   * A sweep, an exchange, the list of tasks and the limits, as each worker and person uses them.
   */
  private void goOn(String where) {
    try {
      claimer.heartbeat();
      fixture.store().sweep();
      List<Claim> claims = claimer.claim(2);
      claimer.endAll(claims, new Outcome.Finished(null));
      fixture.store().reader().list(TaskFilter.ALL);
      fixture.store().reader().limits();
      fixture.store().reader().quotas();
      fixture.store().reader().schedules();
    } catch (RuntimeException e) {
      throw new AssertionError(where, e);
    }
    assertThat(fixture.database().query("select unnest(faults) from berth.sweep()"))
        .as(where)
        .isEmpty();
  }

  private void submit(Draft draft) {
    fixture.store().submit(List.of(draft.submission()));
  }

  private void keep(int many) {
    for (int i = 0; i < many; i++) {
      submit(Draft.task().type(KEPT).queue(KEPT).delay(Duration.ofMillis(i)));
    }
  }

  private void nothingIsLost(int many) {
    assertThat(fixture.store().reader().unreadable()).as("seed " + SEED).isEmpty();
    fixture.advance(Duration.ofMinutes(1));
    fixture.store().sweep();
    assertThat(Claimer.open(fixture.store(), "keeper", KEPT).claim(many, KEPT))
        .as("seed " + SEED)
        .hasSize(many);
  }

  /** Some of what is there, so that calls get further than to the first look-up. */
  private void know() {
    sessionAndProof =
        fixture
            .database()
            .one(
                "select session_id || ', ' || quote_literal(proof::text) from berth.open_session(%d, 'fuzz', null, '1 hour', 9, '{t}', '{default}')"
                    .formatted(Migration.NEWEST));
    ids =
        fixture
            .database()
            .query("select id from berth_private.task where type <> 'kept' order by id limit 20");
    tokens =
        fixture
            .database()
            .query(
                "select token from berth_private.task where token is not null order by 1 limit 20");
  }

  private String call(String function) {
    String name = function.substring(0, function.indexOf('|'));
    String types = function.substring(function.indexOf('|') + 1);
    List<String> arguments = new ArrayList<>();
    int length = random.nextInt(4);
    for (String type : types.isEmpty() ? List.<String>of() : List.of(types.split(","))) {
      arguments.add(value(type, length));
    }
    // Behind these doors there is nothing to see with a wrong key.
    if (random.nextInt(3) > 0 && types.startsWith("integer,bigint,uuid")) {
      arguments.set(0, String.valueOf(Migration.NEWEST));
      arguments.set(1, sessionAndProof.split(", ")[0]);
      arguments.set(2, sessionAndProof.split(", ")[1] + "::uuid");
    } else if (random.nextInt(3) > 0 && types.startsWith("bigint,uuid")) {
      arguments.set(0, sessionAndProof.split(", ")[0]);
      arguments.set(1, sessionAndProof.split(", ")[1] + "::uuid");
    } else if (name.equals("open_session") && random.nextInt(3) > 0) {
      arguments.set(0, String.valueOf(Migration.NEWEST));
    }
    return name.startsWith("insert")
        ? name + String.join(", ", arguments)
        : "select * from berth." + name + "(" + String.join(", ", arguments) + ")";
  }

  private String value(String type, int length) {
    if (random.nextInt(12) == 0) {
      return "null::" + type;
    }
    if (type.endsWith("[]")) {
      String each = type.substring(0, type.length() - 2);
      int many = random.nextInt(5) == 0 ? random.nextInt(4) : length;
      List<String> values = new ArrayList<>();
      for (int i = 0; i < many; i++) {
        values.add(each.equals("text") && random.nextBoolean() ? literal() : value(each, 0));
      }
      return "array[" + String.join(", ", values) + "]::" + type;
    }
    return switch (type) {
      case "text", "name" -> quoted(text());
      case "integer" ->
          quoted(
                  pick(
                      "0",
                      "1",
                      "-1",
                      "5",
                      "100",
                      "1000000",
                      "1000001",
                      "2147483647",
                      "-2147483648"))
              + "::integer";
      case "smallint" -> quoted(pick("0", "5", "9", "10", "-1", "32767", "-32768")) + "::smallint";
      case "bigint" ->
          quoted(
                  random.nextBoolean() && !tokens.isEmpty()
                      ? pick(tokens.toArray(String[]::new))
                      : pick("0", "1", "-1", "1000", "9223372036854775807", "-9223372036854775808"))
              + "::bigint";
      case "uuid" ->
          random.nextBoolean() && !ids.isEmpty()
              ? quoted(pick(ids.toArray(String[]::new))) + "::uuid"
              : "gen_random_uuid()";
      case "timestamp with time zone" ->
          quoted(
                  pick(
                      "infinity",
                      "-infinity",
                      "now",
                      "epoch",
                      "4714-11-24 00:00:00+00 BC",
                      "294276-12-31 00:00:00+00",
                      "9999-12-30",
                      "tomorrow"))
              + "::timestamptz";
      case "interval" ->
          quoted(
                  pick(
                      "0",
                      "1 microsecond",
                      "1 second",
                      "-1 second",
                      "1 day",
                      "178000000 years",
                      "-178000000 years",
                      "365000 days",
                      "100 years"))
              + "::interval";
      case "boolean" -> pick("true", "false");
      case "real" -> quoted(pick("NaN", "Infinity", "-Infinity", "0", "0.5", "3e38")) + "::real";
      case "jsonb" -> quoted(json()) + "::jsonb";
      default -> "null::" + type;
    };
  }

  private String json() {
    String name = "\"" + text().replaceAll("[\\p{Cntrl}\"\\\\]", "?") + "\"";
    return pick(
        "null",
        "[]",
        "{}",
        "[1, 2]",
        "\"a\"",
        "1e400",
        "[null]",
        "{\"a\": \"b\"}",
        "{\"a\": null}",
        "[" + name + "]",
        "{" + name + ": 1}",
        "{" + name + ": \"a\"}",
        "{" + name + ": -1}",
        "{" + name + ": 1e30}",
        "{" + name + ": {\"slots\": 4, \"weight\": 2}}",
        "{" + name + ": {\"slots\": 4, \"weight\": 2147483648}}",
        "[\"limit/a\", \"limit/b\"]",
        "{\"limit/a\": 3, \"type/t/user/" + "字".repeat(random.nextInt(500)) + "\": 1}");
  }

  /** An array within an array, as a batch has them. */
  private String literal() {
    return quoted(
        pick(
            "{}",
            "{null}",
            "{1}",
            "{1,1}",
            "{0}",
            "{5}",
            "{2147483647}",
            "{limit/a}",
            "{type/t/user/1}",
            "{limit/a,limit/b}",
            "{refuse}",
            "{existing}",
            "{replace}",
            "{cancel}",
            "{a,b}",
            "{a,null}",
            "{a",
            "limit/a",
            "limit/a limit/b",
            "type/t/user/1"));
  }

  private String text() {
    return switch (random.nextInt(8)) {
      case 0 ->
          pick(
              "",
              " ",
              "\t",
              "\u3000",
              "\u0085",
              "a\0b",
              "%",
              "/",
              "*",
              "'",
              "\"",
              "{",
              "\\",
              "NaN",
              "infinity");
      case 1 -> "\uD840\uDC00".repeat(1 + random.nextInt(201));
      case 2 ->
          pick("limit/", "type/t/", "topic/", "schedule/", "type/t/user/", "")
              + han(random.nextInt(520));
      case 3 -> "a".repeat(random.nextInt(3_000));
      case 4 ->
          pick(
              "limit/a",
              "limit/b",
              "type/t",
              "type/mail",
              "type/t/user",
              "type/t/user/1",
              "topic/a",
              "schedule/a");
      case 5 ->
          pick(
              "scan",
              "plain",
              "hop",
              "lanes",
              "freed",
              "finished",
              "failed",
              "retry",
              "released",
              "cancelled",
              "halt",
              "continue",
              "cancel_rest",
              "skip",
              "once",
              "all",
              "none",
              "queue",
              "cancel_older",
              "refuse",
              "0 3 * * *",
              "UTC");
      default -> pick("t", "mail", "default", "a", "w", "s");
    };
  }

  private String han(int length) {
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < length; i++) {
      text.appendCodePoint(19_968 + random.nextInt(20_000));
    }
    return text.toString();
  }

  private Instant instant() {
    return switch (random.nextInt(4)) {
      case 0 -> Instant.MAX;
      case 1 -> Instant.MIN;
      case 2 -> Due.LATEST;
      default -> Instant.EPOCH;
    };
  }

  private Duration duration() {
    return switch (random.nextInt(4)) {
      case 0 -> Duration.ofSeconds(Long.MAX_VALUE);
      case 1 -> Duration.ofSeconds(Long.MIN_VALUE);
      case 2 -> Duration.ofDays(365_000);
      default -> Duration.ofNanos(1);
    };
  }

  private int number() {
    return switch (random.nextInt(5)) {
      case 0 -> Integer.MAX_VALUE;
      case 1 -> Integer.MIN_VALUE;
      case 2 -> 0;
      default -> 1 + random.nextInt(9);
    };
  }

  private String pick(String... from) {
    return from[random.nextInt(from.length)];
  }

  private static String quoted(String text) {
    return "E'" + text.replace("\\", "\\\\").replace("'", "''") + "'";
  }
}
