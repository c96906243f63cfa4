package dev.berth;

import dev.berth.store.Applied;
import dev.berth.store.Command;
import dev.berth.store.Schedule;
import dev.berth.store.Store;
import dev.berth.task.TaskId;
import dev.berth.view.ScheduleView;
import java.util.List;
import java.util.Optional;

/** The schedules of a store, in the hands of a person or a program. */
public final class Schedules {

  private final Store store;

  Schedules(Store store) {
    this.store = store;
  }

  /** All of them, by name, with their next and last times and what is wrong with them. */
  public List<ScheduleView> list() {
    return store.reader().schedules();
  }

  public Optional<ScheduleView> find(String name) {
    return list().stream().filter(schedule -> schedule.name().equals(name)).findFirst();
  }

  /** Makes a schedule from its parts; {@link Berth#schedule} is the easier way. */
  public Applied set(Schedule schedule) {
    return store.apply(new Command.SetSchedule(schedule));
  }

  /** No occurrence is submitted until it is resumed; what falls into the pause is left out. */
  public Applied pause(String name) {
    return store.apply(new Command.PauseSchedule(name));
  }

  public Applied resume(String name) {
    return store.apply(new Command.ResumeSchedule(name));
  }

  /**
   * Submits a task now, besides all occurrences. Empty where nothing was submitted: there is no
   * such schedule, a quota is full, or an earlier task is alive and the schedule skips then.
   */
  public Optional<TaskId> run(String name) {
    TaskId id = TaskId.next();
    return run(name, id) == Applied.DONE ? Optional.of(id) : Optional.empty();
  }

  /** The same with an id of your own for the new task, and says what became of it. */
  public Applied run(String name, TaskId id) {
    return store.apply(new Command.RunSchedule(name, id));
  }

  /** Tasks that were submitted stay. */
  public Applied remove(String name) {
    return store.apply(new Command.RemoveSchedule(name));
  }
}
