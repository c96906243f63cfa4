package dev.berth.cli;

import dev.berth.Berth;
import dev.berth.config.Nearest;
import dev.berth.limit.LimitKey;
import dev.berth.limit.Slots;
import dev.berth.store.Applied;
import dev.berth.value.Durations;
import dev.berth.view.LimitView;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.TypeConversionException;

/** Looks at limits, and sets, pauses and resumes them. */
@Command(name = "limit", description = "Show, set, reset, pause and resume limits, and free slots.")
final class LimitCommand extends CommandGroup {

  private static final String KEY =
      "The limit: limit/NAME, topic/NAME, schedule/NAME, type/TYPE, type/TYPE/NAME/VALUE, or"
          + " type/TYPE/NAME for all values.";

  @Command(
      description = "List the limits, or show one and who holds its slots.",
      footer =
          "One of many keys is listed while a task holds a slot of it; its rule, type/TYPE/NAME,"
              + " shows how many are in use of all keys together.")
  void status(
      @Parameters(paramLabel = "KEY", arity = "0..1", converter = Key.class, description = KEY)
          @Nullable LimitKey key,
      @Mixin StoreOptions store,
      @Mixin Output output) {
    try (Berth berth = store.open()) {
      List<LimitView> limits = berth.reader().limits();
      if (key == null) {
        output.answer(
            limits.stream().map(LimitText::json).map(Json.Fields::map).toList(),
            out -> LimitText.print(limits, out));
        return;
      }
      LimitView limit = find(limits, key).orElseThrow(() -> unknown(limits, key));
      output.answer(LimitText.json(limit).map(), out -> LimitText.print(limit, out));
    }
  }

  @Command(
      description = {
        "Set the number of slots, over whatever the code says, until it is reset or for a time.",
        "More slots count at once. With fewer, running tasks go on and none starts until there"
            + " is room; 0 blocks."
      })
  void set(
      @Parameters(paramLabel = "KEY", converter = Key.class, description = KEY) LimitKey key,
      @Option(
              names = "--slots",
              paramLabel = "N",
              required = true,
              description = "How many slots, 0 to 1000000.")
          int slots,
      @Option(
              names = "--for",
              paramLabel = "TIME",
              description = "For how long, such as PT30M; without it until it is reset.")
          @Nullable Duration lasts,
      @Mixin StoreOptions store,
      @Mixin Output output) {
    Slots.check(key.value(), slots);
    if (lasts != null) {
      Durations.checkPositive("The time for which the limit " + key + " is set", lasts);
    }
    try (Berth berth = store.open()) {
      List<LimitView> before = berth.reader().limits();
      Applied applied =
          lasts == null ? berth.limits().set(key, slots) : berth.limits().set(key, slots, lasts);
      answer(
          output,
          key,
          berth,
          applied,
          "Limit %s %s %s.%s%s"
              .formatted(
                  key,
                  applied == Applied.DONE ? "has" : "had already",
                  Text.count(slots, "slot"),
                  draining(berth, key),
                  find(before, key).isPresent() ? "" : newKey(before, key)));
    }
  }

  @Command(description = "Let the number that the code says count again.")
  void reset(
      @Parameters(paramLabel = "KEY", converter = Key.class, description = KEY) LimitKey key,
      @Mixin StoreOptions store,
      @Mixin Output output) {
    try (Berth berth = store.open()) {
      List<LimitView> before = berth.reader().limits();
      Applied applied = berth.limits().reset(key);
      if (applied != Applied.DONE && find(before, key).isEmpty() && !manyKeys(key)) {
        throw unknown(before, key);
      }
      String now =
          find(berth.reader().limits(), key)
              .map(limit -> "has %s, as %s".formatted(slots(limit), LimitText.said(limit.source())))
              .orElse("is not set by hand any more");
      String was = applied == Applied.DONE ? "" : " It was not set by hand.";
      answer(output, key, berth, applied, "Limit %s %s.%s".formatted(key, now, was));
    }
  }

  @Command(description = "Start no more tasks under a limit; running ones go on.")
  void pause(
      @Parameters(paramLabel = "KEY", converter = Key.class, description = KEY) LimitKey key,
      @Mixin StoreOptions store,
      @Mixin Output output) {
    try (Berth berth = store.open()) {
      List<LimitView> before = berth.reader().limits();
      Applied applied = berth.limits().pause(key);
      answer(
          output,
          key,
          berth,
          applied,
          "Limit %s %s paused.%s"
              .formatted(
                  key,
                  applied == Applied.DONE ? "is" : "was already",
                  find(before, key).isPresent() ? "" : newKey(before, key)));
    }
  }

  @Command(description = "Let tasks under a paused limit start again.")
  void resume(
      @Parameters(paramLabel = "KEY", converter = Key.class, description = KEY) LimitKey key,
      @Mixin StoreOptions store,
      @Mixin Output output) {
    try (Berth berth = store.open()) {
      List<LimitView> before = berth.reader().limits();
      Applied applied = berth.limits().resume(key);
      if (applied != Applied.DONE && find(before, key).isEmpty() && !manyKeys(key)) {
        throw unknown(before, key);
      }
      answer(
          output,
          key,
          berth,
          applied,
          "Limit %s %s.".formatted(key, applied == Applied.DONE ? "is resumed" : "was not paused"));
    }
  }

  @Command(
      description = {
        "Free the slot of a holder that is known to be dead, before its lease is over.",
        "Its task goes back to the queue, and what the holder says of it later is refused."
      })
  void release(
      @Parameters(paramLabel = "KEY", converter = Key.class, description = KEY) LimitKey key,
      @Parameters(
              paramLabel = "SLOT",
              description =
                  "The slot or the token of the holder, as 'berth limit status KEY' shows them, or"
                      + " its task.")
          String slot,
      @Option(names = "--force", description = "Do it: the holder is dead.") boolean force,
      @Mixin StoreOptions store,
      @Mixin Output output) {
    try (Berth berth = store.open()) {
      List<LimitView> limits = berth.reader().limits();
      LimitView limit = find(limits, key).orElseThrow(() -> unknown(limits, key));
      if (key.isRule()) {
        throw new CommandFailedException(
            "%s stands for many limits: name the one whose slot is held, as %s/VALUE."
                .formatted(key, key));
      }
      LimitView.Holder holder = SlotNames.holder(limit, slot);
      String who = SlotNames.who(holder);
      if (!force) {
        throw new CommandFailedException(
            "Nothing was done: %s holds %s of %s. If worker %s is dead, its slots come back by themselves when its lease ends, at %s. If it lives, it goes on beside whoever gets the slot next. With --force they are free at once."
                .formatted(
                    who,
                    Text.count(holder.weight(), "slot"),
                    key,
                    holder.worker(),
                    Text.time(holder.expiresAt())));
      }
      if (berth.limits().releaseSlot(key, holder.token()) != Applied.DONE) {
        throw new CommandFailedException(
            "%s does not hold a slot of %s any more; nothing was done.".formatted(who, key));
      }
      answer(
          output,
          key,
          berth,
          Applied.DONE,
          "%s of %s %s free%s."
              .formatted(
                  Text.count(holder.weight(), "slot"),
                  key,
                  holder.weight() == 1 ? "is" : "are",
                  holder.task() == null
                      ? "; %s held %s".formatted(who, holder.weight() == 1 ? "it" : "them")
                      : "; task %s goes back to its queue".formatted(holder.task())));
    }
  }

  private static void answer(
      Output output, LimitKey key, Berth berth, Applied applied, String sentence) {
    Json.Fields fields =
        find(berth.reader().limits(), key)
            .map(LimitText::json)
            .orElseGet(() -> Json.object().put("key", key.value()));
    output.answer(
        fields.put("changed", applied == Applied.DONE).map(), out -> out.println(sentence));
  }

  private static Optional<LimitView> find(List<LimitView> limits, LimitKey key) {
    return limits.stream().filter(limit -> limit.key().equals(key)).findFirst();
  }

  /** Of these, the store lists only what is in use: not to be listed says nothing. */
  private static boolean manyKeys(LimitKey key) {
    return key.value().startsWith("type/") && !key.equals(LimitKey.ofType(typeOf(key)));
  }

  private static String typeOf(LimitKey key) {
    return key.value().split("/", -1)[1].replace("%2F", "/").replace("%25", "%");
  }

  private static String slots(LimitView limit) {
    return Text.count(limit.slots(), "slot");
  }

  private static String draining(Berth berth, LimitKey key) {
    return find(berth.reader().limits(), key)
        .filter(limit -> !key.isRule() && limit.used() > limit.slots())
        .map(limit ->
            " %s in use: nothing starts until there is room.".formatted(slotsAre(limit.used())))
        .orElse("");
  }

  private static String slotsAre(int used) {
    return used == 1 ? "1 is" : Text.count(used) + " are";
  }

  private static String newKey(List<LimitView> limits, LimitKey key) {
    return manyKeys(key) ? "" : " Nothing was known of this limit before." + meant(limits, key);
  }

  private static CommandFailedException unknown(List<LimitView> limits, LimitKey key) {
    return new CommandFailedException(
        manyKeys(key)
            ? "No task holds a slot of " + key + ", and its number was not set by hand."
            : "There is no limit "
                + key
                + "; 'berth limit status' lists them."
                + meant(limits, key));
  }

  private static String meant(List<LimitView> limits, LimitKey key) {
    return Nearest.within(3, key.value(), limits.stream().map(l -> l.key().value()).toList())
        .map(near -> " Did you mean " + near + "?")
        .orElse("");
  }

  /** Reads a limit key, or says what one looks like. */
  static final class Key implements ITypeConverter<LimitKey> {
    @Override
    public LimitKey convert(String text) {
      try {
        return new LimitKey(text);
      } catch (IllegalArgumentException e) {
        boolean bare = !text.isBlank() && text.indexOf('/') < 0;
        throw new TypeConversionException(
            e.getMessage()
                + (bare ? ". Did you mean limit/%s or type/%s?".formatted(text, text) : ""));
      }
    }
  }
}
