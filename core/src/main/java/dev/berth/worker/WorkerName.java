package dev.berth.worker;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

/** The name of a worker that was given none: host, process, and a number within the process. */
public final class WorkerName {

  private static final AtomicInteger NUMBER = new AtomicInteger();
  private static final int LONGEST_HOST = 100;

  private WorkerName() {}

  public static String next() {
    return host().orElse("worker")
        + "-"
        + ProcessHandle.current().pid()
        + "-"
        + NUMBER.incrementAndGet();
  }

  /** Without asking the network, whose name service may take seconds to say no. */
  public static Optional<String> host() {
    return Stream.of(System.getenv("HOSTNAME"), System.getenv("COMPUTERNAME"), hostFile())
        .filter(name -> name != null && name.matches("[\\w.-]+") && name.length() <= LONGEST_HOST)
        .findFirst();
  }

  private static String hostFile() {
    try {
      return Files.readString(Path.of("/etc/hostname")).strip();
    } catch (IOException e) {
      return "";
    }
  }
}
