package dev.berth.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ChildJvmTest {

  @Test
  void theDatabaseAndItsPasswordAreNotOnTheCommandLine() throws Exception {
    try (BenchDatabase database = TinyServer.IT.database();
        ChildJvm child = ChildJvm.start(Size.TINY, WorkerMain.class, "64m", database)) {
      assertThat(ProcessHandle.current().children().map(each -> each.info().commandLine()))
          .anyMatch(line -> line.orElse("").endsWith(WorkerMain.class.getName()))
          .noneMatch(line -> line.orElse("").contains(database.name()));
    }
  }
}
