package dev.berth.store;

import dev.berth.task.Codec;
import dev.berth.task.SubmitOptions;
import dev.berth.task.TaskId;
import dev.berth.task.TaskType;
import java.util.Objects;
import java.util.Optional;

/** Makes submissions from what a user says: type, payload, options. */
public final class Submissions {

  private final Codec codec;

  public Submissions(Codec codec) {
    this.codec = codec;
  }

  public <P> Submission of(TaskType<P, ?> type, P payload, SubmitOptions options) {
    Objects.requireNonNull(payload, "A task of type " + type + " needs a payload");
    return new Submission(
        id(type, options),
        options.ownId(),
        type.name(),
        Optional.ofNullable(options.queue()).orElse(type.queue()),
        Optional.ofNullable(options.priority()).orElse(type.priority()),
        options.due(),
        codec.encode(payload),
        options.metadata(),
        type.limits().lane(type.name(), payload, options.limits()),
        type.limits().quotas().of(type.name(), payload),
        null,
        options.name());
  }

  private static TaskId id(TaskType<?, ?> type, SubmitOptions options) {
    if (options.name() != null) {
      return TaskId.named(type.name(), options.name());
    }
    return options.id() == null ? TaskId.next() : options.id();
  }
}
