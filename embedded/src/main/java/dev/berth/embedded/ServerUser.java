package dev.berth.embedded;

import static java.nio.file.LinkOption.NOFOLLOW_LINKS;

import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributes;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.Stream;

/**
 * Whom PostgreSQL's programs, which refuse to run as root, run as: an ordinary user as itself, root
 * as a user without an account, whose rights nobody else on the machine has.
 */
sealed interface ServerUser {

  /** Whom the server in this folder runs as, who can get in from now on. */
  static ServerUser in(Path directory) throws IOException {
    return Folders.user() == 0 ? Nameless.in(directory) : new Self();
  }

  Commands commandsIn(Path directory);

  /** Runs {@code initdb}, which makes the folder with the data. */
  void initialise(Path directory, List<String> initdb) throws IOException;

  /** Lets the server read a file of ours. */
  void share(Path file) throws IOException;

  record Self() implements ServerUser {

    @Override
    public Commands commandsIn(Path directory) {
      return new Commands(directory, List.of());
    }

    @Override
    public void initialise(Path directory, List<String> initdb) {
      commandsIn(directory).run(initdb);
    }

    @Override
    public void share(Path file) {}
  }

  /**
   * A user and a group of this number. The server's folder stays root's, so that the server cannot
   * replace what root writes there; only the group gets through to the data in it.
   */
  record Nameless(int number) implements ServerUser {
    /** Numbers that distributions give to nobody, and that containers have too. */
    private static final int FIRST = 60_578;

    private static final int LAST = 61_183;
    private static final int ATTEMPTS = 20;

    static Nameless in(Path directory) throws IOException {
      Path data = directory.resolve("data");
      int number = Files.exists(data, NOFOLLOW_LINKS) ? ownerOf(data) : unused(directory);
      Files.setAttribute(directory, "unix:uid", 0, NOFOLLOW_LINKS);
      Files.setAttribute(directory, "unix:gid", number, NOFOLLOW_LINKS);
      Files.setAttribute(directory, "unix:mode", 0710, NOFOLLOW_LINKS);
      var user = new Nameless(number);
      if (!Commands.succeeds(user.as(number, List.of("true")))) {
        throw new IllegalStateException(
            "PostgreSQL does not run as root, and 'setpriv' of util-linux, which would run it as"
                + " another user, does not work here; use an ordinary user.");
      }
      if (!Commands.succeeds(user.as(number, List.of("test", "-x", directory.toString())))) {
        throw new IllegalStateException(
            "PostgreSQL does not run as root, and another user cannot get into %s; choose a folder inside of those that everybody may enter."
                .formatted(directory));
      }
      return user;
    }

    @Override
    public Commands commandsIn(Path directory) {
      return new Commands(directory, as(number, List.of()));
    }

    /**
     * {@code initdb} insists on an account and is {@code nobody} for a moment. Whoever else runs as
     * nobody is not in the group, and so neither gets to the data nor at the process.
     */
    @Override
    public void initialise(Path directory, List<String> initdb) throws IOException {
      Path data = Files.createDirectory(directory.resolve("data"));
      Files.setAttribute(data, "unix:mode", 0700, NOFOLLOW_LINKS);
      give(data, "nobody");
      new Commands(directory, as("nobody", List.of())).run(initdb);
      give(data, number);
    }

    @Override
    public void share(Path file) throws IOException {
      Files.setAttribute(file, "unix:gid", number, NOFOLLOW_LINKS);
      Files.setAttribute(file, "unix:mode", 0640, NOFOLLOW_LINKS);
    }

    private List<String> as(Object user, List<String> command) {
      var setpriv =
          Stream.of(
              "setpriv",
              "--reuid=" + user,
              "--regid=" + number,
              "--clear-groups",
              "--no-new-privs",
              "--");
      return Stream.concat(setpriv, command.stream()).toList();
    }

    private void give(Path folder, Object user) {
      String owner = user + ":" + number;
      if (!Commands.succeeds(List.of("chown", "-R", owner, folder.toString()))) {
        throw new IllegalStateException(folder + " could not be given to the user " + user + ".");
      }
    }

    private static int unused(Path directory) throws IOException {
      for (int attempt = 1; attempt <= ATTEMPTS; attempt++) {
        int number = ThreadLocalRandom.current().nextInt(FIRST, LAST + 1);
        try {
          Files.setAttribute(directory, "unix:gid", number, NOFOLLOW_LINKS);
          Files.setAttribute(directory, "unix:uid", number, NOFOLLOW_LINKS);
        } catch (FileSystemException e) { // such as the root of a namespace that knows no other
          throw new IllegalStateException(
              "PostgreSQL does not run as root, and there is no user with the number %d here (%s); use an ordinary user."
                  .formatted(number, e.getReason()),
              e);
        }
        if (nameless(directory)) {
          return number;
        }
      }
      throw new IllegalStateException(
          "PostgreSQL does not run as root, and all numbers of users from %d to %d have accounts; use an ordinary user."
              .formatted(FIRST, LAST));
    }

    private static int ownerOf(Path data) throws IOException {
      if (!nameless(data)) {
        throw new IllegalStateException(
            "%s belongs to %s: root does not start a server on it. Start it as that user, or delete it."
                .formatted(data, Files.getOwner(data, NOFOLLOW_LINKS).getName()));
      }
      return (int) Files.getAttribute(data, "unix:uid", NOFOLLOW_LINKS);
    }

    /** Whether it belongs to a user and a group of one number and without names. */
    private static boolean nameless(Path folder) throws IOException {
      var is = Files.readAttributes(folder, PosixFileAttributes.class, NOFOLLOW_LINKS);
      Object number = Files.getAttribute(folder, "unix:uid", NOFOLLOW_LINKS);
      return is.owner().getName().equals(number.toString())
          && is.group().getName().equals(number.toString());
    }
  }
}
