package dev.berth.embedded;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Map;

/** A program that has ended, and all that it said. */
record ProcessRun(int exit, String output) {

  static ProcessRun of(String... command) {
    return of(Map.of(), command);
  }

  static ProcessRun of(Map<String, String> environment, String... command) {
    var builder = new ProcessBuilder(command).redirectErrorStream(true);
    builder.environment().putAll(environment);
    try {
      Process process = builder.start();
      String output = new String(process.getInputStream().readAllBytes(), UTF_8);
      return new ProcessRun(process.waitFor(), output);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }
}
