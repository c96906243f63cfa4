package dev.berth.worker;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class MemoryUseTest {

  @TempDir private Path root;

  @ParameterizedTest
  @CsvSource({
    // live heap, committed, max, working set, limit, used
    "20, 100, 100, 0, 0, 0.2", // no container: what the last collection left
    "20, 100, 100, 150, 200, 0.35", // garbage in the heap does not fill the container
    "20, 100, 100, 260, 200, 0.9", // native memory does
    "90, 100, 100, 120, 200, 0.9", // the fuller of the two
    "20, 100, 100, 500, 200, 1", // never above 1
    "20, 100, -1, 0, 0, 0", // a heap without a maximum
    "0, 100, 100, 50, 200, 0", // committed and never touched
  })
  void rule(long live, long committed, long max, long set, long limit, double used) {
    assertThat(MemoryUse.used(live, committed, max, set, limit)).isEqualTo(used);
  }

  @Test
  void readsSomethingSensibleHere() {
    assertThat(new MemoryUse().used()).isBetween(0.0, 1.0);
  }

  @Test
  void readsControlGroupsOfVersion2() throws IOException {
    write("memory.max", "1000\n");
    write("memory.current", "700\n");
    write("memory.stat", "anon 500\ninactive_file 150\nactive_file 50\n");
    Container container = Container.find(root);
    assertThat(container.limit()).isEqualTo(1_000);
    assertThat(container.workingSet()).isEqualTo(550);
  }

  @Test
  void readsControlGroupsOfVersion1() throws IOException {
    write("memory/memory.limit_in_bytes", "1000\n");
    write("memory/memory.usage_in_bytes", "700\n");
    write("memory/memory.stat", "inactive_file 1\ntotal_inactive_file 150\n");
    Container container = Container.find(root);
    assertThat(container.limit()).isEqualTo(1_000);
    assertThat(container.workingSet()).isEqualTo(550);
  }

  @Test
  void noLimitMeansNoContainer() throws IOException {
    write("memory.max", "max\n");
    write("memory/memory.limit_in_bytes", "9223372036854771712\n");
    assertThat(Container.find(root).limit()).isZero();
    assertThat(Container.find(root).workingSet()).isZero();
    assertThat(Container.find(root.resolve("absent")).limit()).isZero();
  }

  private void write(String file, String text) throws IOException {
    Path path = root.resolve(file);
    Files.createDirectories(path.getParent());
    Files.writeString(path, text);
  }
}
