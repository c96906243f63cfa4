package dev.berth.postgres;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** {@link WorkerMain} in a JVM of its own, which a test can stop, freeze and kill. */
final class WorkerProcess implements AutoCloseable {

  private static final Pattern NUMBER = Pattern.compile("(\\w+)=(\\d+)");

  private final Process process;
  private final BufferedReader answers;
  private final Writer commands;

  private WorkerProcess(Process process) {
    this.process = process;
    this.answers = process.inputReader();
    this.commands = process.outputWriter();
  }

  /**
   * Starts it without waiting.
   *
   * @param settings as in the environment, such as {@code BERTH_WORKER_NAME}
   * @param arguments of {@link WorkerMain}
   */
  static WorkerProcess start(String url, Map<String, String> settings, String... arguments) {
    return start("-Xmx128m", url, settings, arguments);
  }

  /**
   * As above.
   *
   * @param heap such as {@code -Xmx256m}
   */
  static WorkerProcess start(
      String heap, String url, Map<String, String> settings, String... arguments) {
    List<String> command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                heap,
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                WorkerMain.class.getName()));
    command.addAll(List.of(arguments));
    ProcessBuilder builder =
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT);
    builder.environment().putAll(settings);
    builder.environment().put(WorkerMain.DATABASE, url); // others can read a command line
    try {
      return new WorkerProcess(builder.start());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Waits until it is at work. */
  WorkerProcess awaitUp() {
    expect("up");
    return this;
  }

  /** Its counters, by the names of {@code WorkerStats}. */
  Map<String, Long> stats() {
    say("stats");
    Map<String, Long> numbers = new HashMap<>();
    Matcher matcher = NUMBER.matcher(hear());
    while (matcher.find()) {
      numbers.put(matcher.group(1), Long.valueOf(matcher.group(2)));
    }
    return numbers;
  }

  /** Stops it as an operator would, and waits. */
  void stop() {
    say("stop");
    expect("stopped");
    process.onExit().join();
  }

  /** Kill -9: nothing in it gets to say goodbye. */
  void kill() {
    process.destroyForcibly();
    process.onExit().join();
  }

  /** No thread of it runs until {@link #thaw}. */
  void freeze() {
    signal("STOP");
  }

  void thaw() {
    signal("CONT");
  }

  @Override
  public void close() {
    kill();
  }

  private void signal(String name) {
    try {
      new ProcessBuilder("kill", "-" + name, Long.toString(process.pid())).start().waitFor();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void say(String command) {
    try {
      commands.write(command + "\n");
      commands.flush();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void expect(String answer) {
    String heard = hear();
    if (!answer.equals(heard)) {
      throw new AssertionError("The worker said " + heard + " instead of " + answer);
    }
  }

  private String hear() {
    try {
      String line = answers.readLine();
      if (line == null) {
        throw new AssertionError("The worker has ended");
      }
      return line;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
