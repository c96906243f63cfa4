package dev.berth.memory;

import dev.berth.store.Command;
import dev.berth.store.ExchangeRequest;
import dev.berth.store.SessionRequest;
import dev.berth.store.StoreException;
import dev.berth.task.Names;

/** Says what is wrong with a call before it changes anything. */
final class Checks {

  private Checks() {}

  static void session(SessionRequest request) {
    if (!request.lease().isPositive()) {
      throw invalid("The lease of a session must be longer than zero, not " + request.lease());
    }
    request.types().forEach(type -> Names.check("task type", type.type()));
    request.queues().forEach(queue -> Names.check("queue", queue));
  }

  static void exchange(ExchangeRequest request) {
    if (request.claims() < 0) {
      throw invalid("An exchange cannot claim " + request.claims() + " tasks");
    }
    if (request.number() < 1) {
      throw invalid("The exchanges of a session count from 1, but this was " + request.number());
    }
  }

  static void command(Command command) {
    switch (command) {
      case Command.PauseQueue(String queue) -> Names.check("queue", queue);
      case Command.ResumeQueue(String queue) -> Names.check("queue", queue);
      case Command.Cancel cancel -> {}
      case Command.RetryTask retry -> {}
    }
  }

  static StoreException invalid(String message) {
    return new StoreException(StoreException.Kind.INVALID, message);
  }
}
