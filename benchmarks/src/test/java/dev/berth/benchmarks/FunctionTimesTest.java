package dev.berth.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class FunctionTimesTest {

  @Test
  void aFunctionHasAsManyCallsAsWereMadeAndOneThatWasNeverCalledNone() throws Exception {
    try (BenchDatabase database = TinyServer.IT.database()) {
      FunctionTimes.track(database);
      database.execute("select berth_private.is_full('a')");
      database.execute("select berth_private.is_full('b'), berth_private.is_full('c')");
      FunctionTimes times = FunctionTimes.of(database);

      FunctionTimes.Calls calls = times.calls("is_full");
      assertThat(calls.count()).isEqualTo(3);
      assertThat(calls.meanMs()).isPositive();
      assertThatThrownBy(() -> times.calls("give_back"))
          .hasMessage(
              "berth_private.give_back was never called, so what a call takes is not known");
    }
  }
}
