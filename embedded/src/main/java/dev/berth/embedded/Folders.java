package dev.berth.embedded;

import static java.nio.file.LinkOption.NOFOLLOW_LINKS;
import static java.util.Objects.requireNonNull;

import com.sun.security.auth.module.UnixSystem;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Folders and files that no other user can put in our way, and who owns them. */
final class Folders {
  private static final int TYPE = 0170000;
  private static final int FOLDER = 0040000;
  private static final int LINK = 0120000;
  private static final int STICKY = 01000;
  private static final int GROUP_WRITES = 020;
  private static final int OTHERS_WRITE = 02;

  private Folders() {}

  /** The number of the user who runs this process; 0 is root. */
  static long user() {
    return new UnixSystem().getUid();
  }

  /** The folder for temporary files, without links on the way to it. */
  static Path temporary() throws IOException {
    Path folder = Path.of(System.getProperty("java.io.tmpdir")).toRealPath();
    requireSafeWay(folder);
    return folder;
  }

  /**
   * Refuses a folder unless it, and each one above it, is a folder and no link, belongs to this
   * user or to root, and lets nobody else change what is in it.
   */
  static void requireSafe(Path folder) throws IOException {
    requireSafe(folder, 0);
    requireSafeWay(folder.getParent());
  }

  static boolean isSafe(Path folder) throws IOException {
    try {
      requireSafe(folder);
      return true;
    } catch (IllegalStateException e) {
      return false;
    }
  }

  /** On the way, {@code /tmp} is good enough: there nobody can rename what is not theirs. */
  private static void requireSafeWay(@Nullable Path folder) throws IOException {
    for (Path each = folder; each != null; each = each.getParent()) {
      requireSafe(each, STICKY);
    }
  }

  private static void requireSafe(Path folder, int forgiven) throws IOException {
    Map<String, Object> is = Files.readAttributes(folder, "unix:mode,uid,gid", NOFOLLOW_LINKS);
    int mode = (int) requireNonNull(is.get("mode"));
    int owner = (int) requireNonNull(is.get("uid"));
    int group = (int) requireNonNull(is.get("gid"));
    if ((mode & TYPE) != FOLDER) {
      throw unsafe(folder, (mode & TYPE) == LINK ? "is not a folder but a link" : "is no folder");
    }
    if (owner != 0 && owner != user()) {
      throw unsafe(folder, "belongs to " + Files.getOwner(folder, NOFOLLOW_LINKS).getName());
    }
    // by custom, a group of the same number has no other member
    int others = group == owner ? OTHERS_WRITE : OTHERS_WRITE | GROUP_WRITES;
    if ((mode & others) != 0 && (mode & forgiven) == 0) {
      throw unsafe(folder, "can be written by others");
    }
  }

  private static IllegalStateException unsafe(Path folder, String why) {
    return new IllegalStateException(
        "PostgreSQL is not started, since others could change its files: %s %s. Remove it or use a folder that only you can write."
            .formatted(folder, why));
  }

  /** Writes a file anew, which only its owner can read from the first byte on. */
  static void write(Path file, String text) throws IOException {
    Files.deleteIfExists(file);
    Set<PosixFilePermission> ownerOnly = PosixFilePermissions.fromString("rw-------");
    Files.createFile(file, PosixFilePermissions.asFileAttribute(ownerOnly));
    Files.writeString(file, text, StandardOpenOption.WRITE);
  }
}
