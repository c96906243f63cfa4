package dev.berth.benchmarks;

import dev.berth.store.Claim;
import dev.berth.store.Ended;
import dev.berth.task.Outcome;
import dev.berth.task.TaskType;
import java.util.ArrayList;
import java.util.List;

/** Real exchanges on a filled queue, by kind, with the plans of all their statements. */
final class PlanExchanges {

  private static final int BATCH = Claimer.BATCH;

  /** Rows that one scan may read for the tasks of one exchange. */
  private static final int MOST_ROWS = 10 * BATCH;

  private final BenchDatabase database;
  private final PlanFilling filling;
  private final String about;
  private final int count;

  /**
   * @param count how many exchanges of each kind
   */
  PlanExchanges(BenchDatabase database, PlanFilling filling, int tasks, int count) {
    this.database = database;
    this.filling = filling;
    this.about = filling.about(tasks);
    this.count = count;
  }

  List<PlanSheet> all() throws Exception {
    List<PlanSheet> sheets = new ArrayList<>();
    sheets.add(claim());
    if (filling != PlanFilling.ALL_LIMITED) {
      sheets.add(finish());
    }
    if (filling != PlanFilling.BASELINE) {
      sheets.add(handOn());
      sheets.add(behind());
    }
    return sheets;
  }

  private PlanSheet claim() throws Exception {
    PlanSheet sheet =
        sheet("claim", "A worker that handles all types claims %d at a time.".formatted(BATCH));
    try (PlanCapture capture = PlanCapture.start(database)) {
      Claimer claimer = new Claimer(capture.store(), filling.types());
      List<Ended> held = new ArrayList<>();
      for (int i = 0; i < count; i++) {
        held.addAll(exchange(capture, claimer, List.of(), sheet));
      }
      claimer.exchange(held, 0);
    }
    return sheet;
  }

  private PlanSheet finish() throws Exception {
    return handIn(
        "finish",
        "A worker that handles all types hands in %d as finished and claims as many."
            .formatted(BATCH),
        filling.types());
  }

  private PlanSheet handOn() throws Exception {
    return handIn(
        "hand-on",
        "A worker that handles only limited types hands in what it has, and the slots pass on.",
        filling.limited());
  }

  private PlanSheet handIn(String kind, String what, List<TaskType<NoOp, Void>> types)
      throws Exception {
    PlanSheet sheet = sheet(kind, what);
    try (PlanCapture capture = PlanCapture.start(database)) {
      Claimer claimer = new Claimer(capture.store(), types);
      List<Ended> held = ended(claimer.exchange(List.of(), BATCH));
      for (int i = 0; i < count; i++) {
        held = exchange(capture, claimer, held, sheet);
      }
      claimer.exchange(held, 0);
    }
    return sheet;
  }

  private PlanSheet behind() throws Exception {
    PlanSheet sheet =
        sheet(
            "behind",
            "Another worker holds all slots of all limits, and one that handles all types claims.");
    try (PlanCapture capture = PlanCapture.start(database)) {
      Claimer holder = new Claimer(capture.store(), filling.limited());
      List<Ended> slots = new ArrayList<>();
      int all = filling.limited().size() * PlanFilling.SLOTS;
      for (int looks = 0; slots.size() < all && looks < all; looks++) {
        slots.addAll(ended(holder.exchange(List.of(), all - slots.size())));
      }
      if (slots.size() < all) {
        throw new IllegalStateException(
            "Only %d of %d slots could be taken".formatted(slots.size(), all));
      }
      Claimer claimer = new Claimer(capture.store(), filling.types());
      List<Ended> held = List.of();
      for (int i = 0; i < count; i++) {
        held = exchange(capture, claimer, held, sheet);
      }
      claimer.exchange(held, 0);
      holder.exchange(slots, 0);
    }
    return sheet;
  }

  private PlanSheet sheet(String kind, String what) {
    return new PlanSheet(filling.label() + "-" + kind, about + "\n" + what, MOST_ROWS);
  }

  private static List<Ended> exchange(
      PlanCapture capture, Claimer claimer, List<Ended> ended, PlanSheet sheet) {
    capture.take();
    List<Claim> claims = claimer.exchange(ended, BATCH);
    sheet.add(capture.take(), claims.size());
    return ended(claims);
  }

  private static List<Ended> ended(List<Claim> claims) {
    return claims.stream()
        .map(claim -> new Ended(claim.lease(), new Outcome.Finished(null)))
        .toList();
  }
}
