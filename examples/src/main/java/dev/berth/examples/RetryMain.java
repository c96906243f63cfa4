package dev.berth.examples;

import dev.berth.Berth;
import dev.berth.TaskFailedException;
import dev.berth.task.Retry;
import dev.berth.task.TaskType;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.time.Duration;

/** Failures are retried after a growing delay, except those that no retry can help. */
public final class RetryMain {

  record Download(String url) {}

  private RetryMain() {}

  public static void main(String[] arguments) throws Exception {
    var download =
        TaskType.of("download", Download.class)
            .retry(
                Retry.exponential(4, Duration.ofMillis(50), Duration.ofSeconds(1))
                    .giveUpOn(FileNotFoundException.class));

    try (var berth = Berth.open("memory:");
        var worker =
            berth
                .worker()
                .handle(
                    download,
                    (file, task) -> {
                      System.out.println("Attempt " + task.attempt() + " of " + file.url());
                      if (file.url().endsWith("missing")) {
                        throw new FileNotFoundException("no such file");
                      }
                      if (task.attempt() < 3) {
                        throw new IOException("connection reset");
                      }
                    })
                .start()) {
      var flaky = berth.submit(download, new Download("https://example.org/flaky"));
      berth.await(download, flaky, Duration.ofSeconds(10));
      System.out.println(
          "Finished: " + berth.find(flaky).orElseThrow().counts().failures() + " failures");

      var missing = berth.submit(download, new Download("https://example.org/missing"));
      try {
        berth.await(download, missing, Duration.ofSeconds(10));
      } catch (TaskFailedException e) {
        System.out.println("Not retried: the task is " + e.task().state());
      }
    }
  }
}
