package dev.berth.embedded;

import java.nio.file.Path;
import java.util.List;

/**
 * Whom PostgreSQL's programs, which refuse to run as root, run as: an ordinary user as itself. Root
 * steps into a user namespace in which it is nobody; where the kernel forbids that, it becomes the
 * user {@code postgres} or {@code nobody}, who is then given the server's directory.
 */
sealed interface ServerUser {
  record Self() implements ServerUser {}

  record Nameless() implements ServerUser {}

  record Other(String name) implements ServerUser {}

  static ServerUser find() {
    if (!"root".equals(System.getProperty("user.name"))) {
      return new Self();
    }
    if (Commands.succeeds("unshare", "-U", "true")) {
      return new Nameless();
    }
    for (String name : List.of("postgres", "nobody")) {
      if (Commands.succeeds("runuser", "-u", name, "--", "true")) {
        return new Other(name);
      }
    }
    throw new IllegalStateException(
        "PostgreSQL does not run as root, and neither 'unshare -U' nor 'runuser' works here;"
            + " use an ordinary user.");
  }

  /** The way to run programs on files in this directory. */
  default Commands commandsIn(Path directory) {
    return switch (this) {
      case Self() -> new Commands(directory, List.of());
      case Nameless() -> new Commands(directory, List.of("unshare", "-U"));
      case Other(String name) -> {
        if (!Commands.succeeds("chown", "-R", name, directory.toString())) {
          throw new IllegalStateException(directory + " could not be given to the user " + name);
        }
        yield new Commands(directory, List.of("runuser", "-u", name, "--"));
      }
    };
  }
}
