package dev.berth.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.berth.worker.FileTopics.Said;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The table topics of a configuration file. */
class FileTopicsTest {

  @Test
  void readsTheDefaultsAndEachTopic() {
    Map<String, String> file =
        Map.of(
            "topics.max_parallel", "4",
            "topics.reports.max_parallel", "2",
            "topics.reports.retry_count", "3",
            "topics.mail.v2.delay_ms", "1000",
            "worker.lease_ms", "30000");

    assertThat(FileTopics.of(file).topics())
        .isEqualTo(
            Map.of(
                "", new Said(4, null, null),
                "reports", new Said(2, 3, null),
                "mail.v2", new Said(null, null, 1000)));
  }

  @ParameterizedTest
  @CsvSource({
    "topics.reports.slots, 1, is no setting of a topic",
    "topics.slots, 1, is no setting of a topic",
    "topics.reports.max_parallel, -1, must be a whole number from 0 to 1000000",
    "topics.reports.retry_count, many, must be a whole number from 0 to 1000",
    "topics. .retry_count, 1, does not name a topic"
  })
  void aMistakeIsAnErrorThatBeginsWithItsKey(String key, String value, String message) {
    assertThatThrownBy(() -> FileTopics.of(Map.of(key, value)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith(key + " " + message);
  }
}
