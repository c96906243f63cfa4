package dev.berth.benchmarks;

import static java.util.Objects.requireNonNull;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A main class of ours in a process of its own, with its own heap. It answers with lines {@code
 * name=value} on its standard output; what it complains of goes to ours.
 */
final class ChildJvm implements AutoCloseable {

  /** What a child said. */
  record Answer(Map<String, Double> values) {

    double value(String name) {
      return requireNonNull(values.get(name), name);
    }
  }

  private final Process process;

  private ChildJvm(Process process) {
    this.process = process;
  }

  static ChildJvm start(Class<?> main, String heap, Object... arguments) throws IOException {
    List<String> line = new ArrayList<>();
    line.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    line.add("-Xmx" + heap);
    line.addAll(List.of("-cp", System.getProperty("java.class.path"), main.getName()));
    for (Object argument : arguments) {
      line.add(argument.toString());
    }
    return new ChildJvm(
        new ProcessBuilder(line).redirectError(ProcessBuilder.Redirect.INHERIT).start());
  }

  /** Runs it to its end. */
  static Answer run(Class<?> main, String heap, Object... arguments)
      throws IOException, InterruptedException {
    try (ChildJvm child = start(main, heap, arguments)) {
      return child.answer();
    }
  }

  /** Waits for its end and returns what it said. */
  Answer answer() throws IOException, InterruptedException {
    Map<String, Double> values = new HashMap<>();
    try (BufferedReader reader = process.inputReader()) {
      for (String line = reader.readLine(); line != null; line = reader.readLine()) {
        int equals = line.indexOf('=');
        values.put(line.substring(0, equals), Double.parseDouble(line.substring(equals + 1)));
      }
    }
    int code = process.waitFor();
    if (code != 0) {
      throw new IllegalStateException("A process of the benchmark ended with code " + code);
    }
    return new Answer(values);
  }

  /** Called in the child. */
  static void say(String name, double value) {
    System.out.println(name + "=" + value);
  }

  @Override
  public void close() {
    process.destroyForcibly();
  }
}
