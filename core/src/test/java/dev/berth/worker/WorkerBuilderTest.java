package dev.berth.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.berth.store.SessionRequest;
import dev.berth.task.Retention;
import org.junit.jupiter.api.Test;
import org.slf4j.event.Level;

class WorkerBuilderTest extends WorkerFixture {

  @Test
  void aWorkerWithoutHandlersIsAnError() {
    assertThatThrownBy(this::start)
        .hasMessage("A worker needs at least one handler: call handle or answer before start");
  }

  @Test
  void twoHandlersForOneTypeAreAnError() {
    builder.handle(TEXT, (payload, task) -> {});
    assertThatThrownBy(() -> builder.handle(TEXT.queue("other"), (payload, task) -> {}))
        .hasMessage("Task type text has a handler already: a type has one handler per worker");
  }

  @Test
  void itReadsTheQueuesOfItsTypes() {
    builder
        .handle(TEXT.queue("mail").keep(Retention.NONE).maxCrashes(2), (payload, task) -> {})
        .answer(ECHO, (payload, task) -> payload);
    start();

    SessionRequest request = store.opened().getFirst();
    assertThat(request.worker()).isEqualTo("tested");
    assertThat(request.queues()).containsExactlyInAnyOrder("mail", "default");
    assertThat(request.types())
        .contains(new SessionRequest.Handled("text", Retention.NONE, 2))
        .hasSize(2);
  }

  @Test
  void itReadsTheQueuesItWasTold() {
    builder.handle(TEXT, (payload, task) -> {}).queue("a", 3).queue("b");
    start();

    assertThat(store.opened().getFirst().queues()).containsExactly("a", "b");
  }

  @Test
  void aWeightOutOfRangeIsAnError() {
    assertThatThrownBy(() -> builder.queue("a", 0))
        .hasMessage("The weight of queue a is from 1 to 1000, not 0");
  }

  @Test
  void levelsOfATypeWithoutAHandlerAreAnError() {
    assertThatThrownBy(() -> builder.logFailures(TEXT, Level.INFO, Level.WARN))
        .hasMessage("Task type text has no handler yet: call handle or answer before logFailures");
  }

  @Test
  void eachWorkerHasANameOfItsOwn() {
    assertThat(WorkerName.next()).isNotEqualTo(WorkerName.next()).isNotBlank();
  }
}
