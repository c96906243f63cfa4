package dev.berth.benchmarks;

import static java.util.Objects.requireNonNull;

import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ObjDoubleConsumer;

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

  /** The variable with the database: what is on a command line, everybody can read. */
  private static final String DATABASE = "BERTH_DB";

  /** What a listener hears when the child has ended. */
  static final String GONE = "gone";

  private final Process process;

  private ChildJvm(Process process) {
    this.process = process;
  }

  /** Starts it; where nothing is measured, as cheaply as a JVM can be had. */
  static ChildJvm start(
      Size size, Class<?> main, String heap, BenchDatabase database, Object... arguments)
      throws IOException {
    List<String> line = new ArrayList<>();
    line.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    line.add("-Xmx" + heap);
    if (size == Size.TINY) {
      line.addAll(List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"));
    }
    line.addAll(List.of("-cp", System.getProperty("java.class.path"), main.getName()));
    for (Object argument : arguments) {
      line.add(argument.toString());
    }
    var builder = new ProcessBuilder(line).redirectError(ProcessBuilder.Redirect.INHERIT);
    builder.environment().put(DATABASE, database.url());
    return new ChildJvm(builder.start());
  }

  /** Runs it to its end. */
  static Answer run(
      Size size, Class<?> main, String heap, BenchDatabase database, Object... arguments)
      throws IOException, InterruptedException {
    try (ChildJvm child = start(size, main, heap, database, arguments)) {
      return child.answer();
    }
  }

  /** Waits for its end and returns what it said. */
  Answer answer() throws IOException, InterruptedException {
    Map<String, Double> values = new HashMap<>();
    try (BufferedReader reader = process.inputReader()) {
      for (String line = reader.readLine(); line != null; line = reader.readLine()) {
        values.put(name(line), value(line));
      }
    }
    int code = process.waitFor();
    if (code != 0) {
      throw new IllegalStateException("A process of the benchmark ended with code " + code);
    }
    return new Answer(values);
  }

  /** Gives it a line to read. */
  void tell(String line) throws IOException {
    BufferedWriter writer = process.outputWriter();
    writer.write(line);
    writer.newLine();
    writer.flush();
  }

  /** Hands over what it says while it runs, on a thread of its own. */
  void hear(ObjDoubleConsumer<String> listener) {
    BufferedReader reader = process.inputReader();
    Thread.ofVirtual()
        .name("child-jvm")
        .start(() -> {
          reader.lines().forEach(line -> listener.accept(name(line), value(line)));
          listener.accept(GONE, 0);
        });
  }

  /** The CPU time that it has used. */
  double cpuSeconds() {
    return process.info().totalCpuDuration().orElseThrow().toNanos() / 1e9;
  }

  private static String name(String line) {
    return line.substring(0, line.indexOf('='));
  }

  private static double value(String line) {
    return Double.parseDouble(line.substring(line.indexOf('=') + 1));
  }

  /** Called in the child: the URL of the database. */
  static String database() {
    return requireNonNull(System.getenv(DATABASE), DATABASE);
  }

  /** Called in the child. */
  static void say(String name, double value) {
    System.out.println(name + "=" + value);
    System.out.flush();
  }

  @Override
  public void close() {
    process.destroyForcibly();
  }
}
