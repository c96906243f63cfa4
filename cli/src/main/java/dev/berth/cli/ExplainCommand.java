package dev.berth.cli;

import dev.berth.Berth;
import dev.berth.task.TaskId;
import dev.berth.view.Explanation;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** Says why a task does not run. */
@Command(
    name = "explain",
    description = {
      "Say why a task does not run: what is in its way, who holds the slots it needs, how many are"
          + " before it in line, and how long that may take.",
      "Of a running task, say who runs it and which slots it holds; of an ended one, how it ended."
    })
final class ExplainCommand implements Runnable {

  @Parameters(
      paramLabel = "ID",
      converter = TaskName.Reader.class,
      description = TaskName.DESCRIPTION)
  private TaskName name;

  @Mixin private StoreOptions store;

  @Mixin private Output output;

  @Override
  public void run() {
    try (Berth berth = store.open()) {
      TaskId id = name.one(berth);
      Explanation explanation =
          berth.reader().explain(id).orElseThrow(() -> TaskCommand.unknown(id));
      output.answer(ExplainText.json(explanation), out -> ExplainText.print(explanation, out));
    }
  }
}
