package dev.berth.cli;

import dev.berth.Berth;
import dev.berth.limit.LimitKey;
import dev.berth.view.Drift;
import java.io.PrintWriter;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Proves that the counters of limits are right. */
@Command(
    name = "doctor",
    description = {
      "Compare the counters of all limits with what running tasks hold. They must be the same; if"
          + " not, somebody has changed rows by hand, or it is a bug.",
      "It also lists rows that no function of Berth would have written.",
      "Ends with 1 if something differs and was not fixed, or cannot be read."
    })
final class DoctorCommand implements Callable<Integer> {

  @Option(names = "--fix", description = "Count anew what differs. Workers may go on meanwhile.")
  private boolean fix;

  @Mixin private StoreOptions store;

  @Mixin private Output output;

  @Override
  public Integer call() {
    try (Berth berth = store.open()) {
      List<Drift> drift = berth.reader().drift();
      List<Drift> left = fix ? fixed(berth, drift) : drift;
      List<String> unreadable = berth.reader().unreadable();
      output.answer(
          Json.object()
              .put("drift", drift.stream().map(DoctorCommand::json).toList())
              .put("fixed", fix && left.isEmpty())
              .put("unreadable", unreadable)
              .map(),
          out -> {
            print(drift, left, out);
            print(unreadable, out);
          });
      return left.isEmpty() && unreadable.isEmpty() ? ExitCode.OK : ExitCode.SOFTWARE;
    }
  }

  /** Counts anew; what differs afterwards. */
  private static List<Drift> fixed(Berth berth, List<Drift> drift) {
    List<LimitKey> keys = drift.stream().map(Drift::key).distinct().toList();
    keys.forEach(berth.limits()::recount);
    return keys.isEmpty() ? List.of() : berth.reader().drift();
  }

  private static Object json(Drift drift) {
    return Json.object()
        .put("key", drift.key().value())
        .put("counter", drift.counter().name())
        .put("slot", drift.group())
        .put("counted", drift.counted())
        .put("actual", drift.actual())
        .map();
  }

  private void print(List<Drift> drift, List<Drift> left, PrintWriter out) {
    if (drift.isEmpty()) {
      out.println("All is well: the counters of all limits are what running tasks hold.");
      return;
    }
    drift.forEach(each -> out.println(sentence(each)));
    if (!fix) {
      out.println("Run berth doctor --fix to count anew; workers may go on meanwhile.");
    } else if (left.isEmpty()) {
      out.println("All of it was counted anew.");
    } else {
      out.println("This still differs:");
      left.forEach(each -> out.println(sentence(each)));
    }
  }

  private static void print(List<String> unreadable, PrintWriter out) {
    if (!unreadable.isEmpty()) {
      out.println("Somebody has written rows by hand that nobody can work with:");
      unreadable.forEach(out::println);
      out.println("Cancel these tasks (berth task cancel ID) or delete the rows.");
    }
  }

  private static String sentence(Drift drift) {
    return "Limit "
        + drift.key()
        + switch (drift.counter()) {
          case USED ->
              ", slot group %d: %d in use are counted, running tasks hold %d."
                  .formatted(drift.group(), drift.counted(), drift.actual());
          case CAPACITY ->
              ": its slot groups have %s, and should have %d."
                  .formatted(Text.count(drift.counted(), "slot"), drift.actual());
          case UNUSED ->
              ": nobody uses it, but %s left over."
                  .formatted(
                      Text.count(drift.counted(), "slot group")
                          + (drift.counted() == 1 ? " is" : " are"));
        };
  }
}
