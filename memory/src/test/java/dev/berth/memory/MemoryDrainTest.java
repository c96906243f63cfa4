package dev.berth.memory;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.store.Claim;
import dev.berth.store.Store;
import dev.berth.store.StoreProvider;
import dev.berth.store.Submission;
import dev.berth.task.Outcome;
import dev.berth.testkit.Claimer;
import dev.berth.testkit.Draft;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class MemoryDrainTest {

  @Test
  @Timeout(value = 20, unit = TimeUnit.SECONDS)
  void aHundredThousandTasksBehindAsManyForeignOnesDrainFast() {
    try (Store store = StoreProvider.openAny("memory:")) {
      store.submit(tasks(100_000, "foreign"));
      store.submit(tasks(100_000, Draft.TYPE));
      Claimer claimer = Claimer.open(store, "worker", Draft.TYPE);

      int finished = 0;
      for (List<Claim> claims = claimer.claim(50); !claims.isEmpty(); claims = claimer.claim(50)) {
        claimer.endAll(claims, new Outcome.Finished(null));
        finished += claims.size();
      }

      assertThat(finished).isEqualTo(100_000);
      assertThat(store.reader().queues().getFirst().ready()).isEqualTo(100_000);
    }
  }

  private static List<Submission> tasks(int count, String type) {
    return Stream.generate(() -> Draft.task().type(type).submission()).limit(count).toList();
  }
}
