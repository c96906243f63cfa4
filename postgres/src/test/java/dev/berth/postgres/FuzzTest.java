package dev.berth.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.limit.LimitKey;
import dev.berth.limit.WhenFull;
import dev.berth.store.Command;
import dev.berth.store.StoreException;
import dev.berth.task.Due;
import dev.berth.task.TaskId;
import dev.berth.testkit.Draft;
import dev.berth.testkit.Edges;
import dev.berth.testkit.Everyday;
import dev.berth.testkit.Seeds;
import dev.berth.view.TaskFilter;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * Every function of the schema and every entry of the store with values from the edges. They may
 * refuse; but afterwards all that workers and people do goes on, and nothing is lost. {@code
 * -Dberth.fuzz=NUMBER} makes so many calls, of which half are functions and a quarter entries of
 * the store; the others are made by {@code FrontDoorContract}. {@code -Dberth.seed=NUMBER} repeats
 * a run.
 */
class FuzzTest {

  private static final int CALLS = Integer.getInteger("berth.fuzz", 160);

  /** What goes wrong inside the server, or does not end. 53400 is a full quota. */
  private static final List<String> FAULTS = List.of("XX", "57", "530", "531", "532", "533", "58");

  private final PostgresFixture fixture = PostgresFixture.on(Servers.NEWEST);
  private final Everyday everyday = new Everyday(fixture, this::known);
  private final long seed = Seeds.of("the fuzz", 1).findFirst().orElseThrow();
  private final Random random = new Random(seed);
  private final Edges edges = new Edges(random);

  private String sessionAndProof = "1, null";
  private List<String> ids = List.of();
  private List<String> tokens = List.of();

  @AfterEach
  void close() {
    fixture.close();
  }

  @Test
  void everySqlFunction() throws SQLException {
    List<String> functions =
        fixture
            .database()
            .query(
                """
                select p.proname || '|' || coalesce((
                         select string_agg(
                                  p.proargnames[a.place] || case when a.place > p.pronargs - p.pronargdefaults then '?' else '' end
                                    || ' ' || format_type(a.type, null), ',' order by a.place)
                           from unnest(p.proargtypes) with ordinality as a (type, place)), '')
                  from pg_proc p
                 where p.pronamespace = 'berth'::regnamespace and p.prorettype <> 'trigger'::regtype
                union all
                select 'insert into berth.' || c.relname || '|'
                       || string_agg(a.attname || '? ' || format_type(a.atttypid, null), ',' order by a.attnum)
                  from pg_class c join pg_attribute a on a.attrelid = c.oid
                 where c.relnamespace = 'berth'::regnamespace and a.atttypid <> 'name'::regtype
                   and exists (select from pg_trigger t where t.tgrelid = c.oid)
                 group by c.relname
                 order by 1
                """);
    assertThat(functions).hasSizeGreaterThan(50);
    everyday.keep();
    try (Connection connection = DriverManager.getConnection(fixture.database().url());
        Statement statement = connection.createStatement()) {
      statement.execute("set statement_timeout = '60s'");
      for (int i = 0; i < Math.max(CALLS / 2, functions.size()); i++) {
        String call = call(i < functions.size() ? functions.get(i) : some(functions));
        if (i % 10 == 0) {
          know();
        }
        String where = "call " + i + ": " + call;
        try {
          statement.execute(call);
        } catch (SQLException refused) {
          if (FAULTS.stream().anyMatch(refused.getSQLState()::startsWith)) {
            throw Seeds.failed(seed, where, refused);
          }
        }
        goOn(where);
      }
    }
    everyday.nothingIsLost();
    System.out.println("The fuzz had " + everyday.claimed() + " claims");
  }

  @Test
  void everyEntryOfTheStore() {
    everyday.keep();
    for (int i = 0; i < CALLS / 4; i++) {
      StringBuilder where = new StringBuilder("call " + i + ": ");
      try {
        store(i % 14, where);
      } catch (RuntimeException refused) {
        if (!(refused instanceof IllegalArgumentException
            || refused instanceof StoreException e && e.refused())) {
          throw Seeds.failed(seed, where.toString(), refused);
        }
      }
      goOn(where.toString());
    }
    everyday.nothingIsLost();
    System.out.println("The fuzz had " + everyday.claimed() + " claims");
  }

  private void store(int which, StringBuilder where) {
    var store = fixture.store();
    String name = edges.half();
    where.append(which).append(' ').append(name);
    switch (which) {
      case 0 -> submit(Draft.task().type(name));
      case 1 -> submit(Draft.task().queue(name));
      case 2 -> submit(Draft.task().due(Due.at(edges.instant())));
      case 3 -> submit(Draft.task().delay(edges.duration()));
      case 4 -> submit(Draft.task().metadata(Map.of(name, edges.half())));
      case 5 -> submit(Draft.task().under(new LimitKey(name), edges.number()));
      case 6 ->
          submit(
              Draft.task()
                  .under(LimitKey.ofTypePer("mail", edges.half(), name), edges.number())
                  .under(LimitKey.shared(edges.half()), 1)
                  .delay(Duration.ofMillis(1)));
      case 7 ->
          submit(
              Draft.task()
                  .quota(LimitKey.ofTypePer("mail", "a", name), edges.number(), WhenFull.REPLACE));
      case 8 -> submit(Draft.task().step(name, edges.half()));
      case 9 ->
          store.apply(new Command.SetLimit(new LimitKey(name), edges.number(), edges.duration()));
      case 10 -> store.apply(new Command.PauseQueue(name));
      case 11 -> submit(Draft.task().priority(edges.number()).payload(name));
      case 12 -> store.reader().list(new TaskFilter(Set.of(), name, edges.half(), edges.number()));
      default -> store.reader().find(TaskId.named("fuzz", name));
    }
  }

  private void goOn(String where) {
    try {
      everyday.goOn();
      new Topics(new Database(fixture.database().pool())).list();
      assertThat(fixture.database().query("select unnest(faults) from berth.sweep()")).isEmpty();
    } catch (RuntimeException | AssertionError e) {
      throw Seeds.failed(seed, "after " + where, e);
    }
  }

  /** Those of tasks in the table, the newest first. */
  private Everyday.Known known() {
    return new Everyday.Known(some("type"), some("queue"));
  }

  private List<String> some(String column) {
    return fixture
        .database()
        .query(
            "select %1$s from berth_private.task group by 1 order by max(id::text) desc limit 200"
                .formatted(column));
  }

  private void submit(Draft draft) {
    fixture.store().submit(List.of(draft.submission()));
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

  /** Often one that makes tasks: without them the others find nothing. */
  private String some(List<String> functions) {
    List<String> submits =
        functions.stream()
            .filter(name -> name.contains("submit") || name.contains("sched"))
            .toList();
    return edges.one(3)
        ? submits.get(random.nextInt(submits.size()))
        : functions.get(random.nextInt(functions.size()));
  }

  /** All arguments from the edges; or one of them, so that the others let it get further. */
  private String call(String function) {
    String name = function.substring(0, function.indexOf('|'));
    String said = function.substring(function.indexOf('|') + 1);
    List<String> parameters = said.isEmpty() ? List.of() : List.of(said.split(","));
    int only = edges.one(3) ? -1 : random.nextInt(parameters.size() + 1);
    int length = only < 0 ? random.nextInt(4) : 1;
    Map<String, String> arguments = new LinkedHashMap<>();
    for (int i = 0; i < parameters.size(); i++) {
      String parameter = parameters.get(i).substring(0, parameters.get(i).indexOf(' '));
      String type = parameters.get(i).substring(parameters.get(i).indexOf(' ') + 1);
      boolean edge = only < 0 || only == i;
      if (!parameter.endsWith("?") || edge || edges.one(4)) {
        arguments.put(
            parameter.replace("?", ""),
            edge ? value(type, length) : usual(parameter.replace("?", ""), type));
      }
    }
    know(said, arguments);
    if (name.startsWith("insert")) {
      return name
          + " ("
          + String.join(", ", arguments.keySet())
          + ") select "
          + String.join(", ", arguments.values());
    }
    return "select * from berth."
        + name
        + arguments.entrySet().stream()
            .map(argument -> argument.getKey() + " => " + argument.getValue())
            .collect(Collectors.joining(", ", "(", ")"));
  }

  /** Behind some doors there is nothing to see with a wrong key. */
  private void know(String parameters, Map<String, String> arguments) {
    List<String> names = List.copyOf(arguments.keySet());
    String types = parameters.replaceAll("[a-z_0-9]+[?]? ([a-z ]+)", "$1");
    if (edges.one(4)) {
      return;
    }
    int session = types.startsWith("integer,bigint,uuid") ? 1 : 0;
    if (types.startsWith("integer,")) {
      arguments.put(names.get(0), String.valueOf(Migration.NEWEST));
    }
    if (session == 1 || types.startsWith("bigint,uuid")) {
      arguments.put(names.get(session), sessionAndProof.replaceAll(",.*", ""));
      arguments.put(names.get(session + 1), sessionAndProof.replaceAll(".*, ", "") + "::uuid");
    }
  }

  /** A value that could be meant. */
  private String usual(String name, String type) {
    if (type.endsWith("[]")) {
      return "array[" + usual(name, type.substring(0, type.length() - 2)) + "]::" + type;
    }
    return switch (type) {
      case "text" -> quoted(usualText(name.replaceFirst("^p_", "")));
      case "integer", "smallint", "bigint" -> edges.pick("1", "2", "5") + "::" + type;
      case "timestamp with time zone" -> "now()";
      case "interval" -> quoted("1 second") + "::interval";
      case "real" -> "0.5::real";
      case "jsonb" ->
          quoted(
                  name.matches("limits|quotas")
                      ? "{\"limit/a\": 3}"
                      : edges.pick("{}", "{\"a\": \"b\"}"))
              + "::jsonb";
      default -> value(type, 1);
    };
  }

  private String usualText(String name) {
    return switch (name) {
      case "key", "keys", "limit", "limits", "lane", "lanes" -> edges.pick("limit/a", "type/t");
      case "when_full" -> "refuse";
      case "on_failure" -> "halt";
      case "missed" -> "once";
      case "overlap" -> "skip";
      case "cron" -> "* * * * *";
      case "zone" -> "UTC";
      case "payload", "payloads" -> "{}";
      case "queue", "queues" -> edges.pick("default", "a");
      case "outcomes" -> edges.pick("finished", "failed", "retry");
      default -> edges.pick("t", "mail", "a");
    };
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
      case "text", "name" -> quoted(edges.text());
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
                      "infinity",
                      "-infinity",
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
    String name = "\"" + edges.text().replaceAll("[\\p{Cntrl}\"\\\\]", "?") + "\"";
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

  private String pick(String... from) {
    return from[random.nextInt(from.length)];
  }

  private static String quoted(String text) {
    return "E'" + text.replace("\\", "\\\\").replace("'", "''") + "'";
  }
}
