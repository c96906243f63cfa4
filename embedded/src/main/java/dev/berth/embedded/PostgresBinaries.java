package dev.berth.embedded;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;

import java.io.BufferedInputStream;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.Locale;
import java.util.Optional;
import java.util.jar.JarFile;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveInputStream;
import org.tukaani.xz.XZInputStream;

/**
 * The folder with {@code initdb}, {@code pg_ctl} and {@code postgres}, and the version they are.
 */
record PostgresBinaries(Path directory, String version, boolean installed) {
  private static final Pattern VERSION = Pattern.compile("\\(PostgreSQL\\) ([0-9][^ \\n]*)");
  private static final Pattern LEADING_NUMBERS = Pattern.compile("([0-9]+)(?:\\.([0-9]+))?");

  static PostgresBinaries from(LocalPostgres.Source source) throws IOException {
    return switch (source) {
      case LocalPostgres.Source.Bundled() -> bundled();
      case LocalPostgres.Source.Jar(Path jar) -> in(jar);
      case LocalPostgres.Source.PreferInstalled() -> {
        Optional<PostgresBinaries> found = newestInstalled();
        yield found.isPresent() ? found.get() : bundled();
      }
    };
  }

  private static PostgresBinaries bundled() throws IOException {
    String name = "/postgres-%s-%s.txz".formatted(system(), machine());
    try (InputStream archive = PostgresBinaries.class.getResourceAsStream(name)) {
      if (archive == null) {
        throw new IllegalStateException(
            "No PostgreSQL for this platform is on the class path: " + name);
      }
      return unpacked(archive.readAllBytes());
    }
  }

  private static PostgresBinaries in(Path jar) throws IOException {
    try (var file = new JarFile(jar.toFile())) {
      var entry =
          file.stream()
              .filter(candidate -> candidate.getName().endsWith(".txz"))
              .findFirst()
              .orElseThrow(() -> new IllegalArgumentException("No PostgreSQL in " + jar));
      try (InputStream archive = file.getInputStream(entry)) {
        return unpacked(archive.readAllBytes());
      }
    }
  }

  /**
   * The newest of what Debian, Red Hat, Homebrew and PostgreSQL's own installers leave on a
   * machine.
   */
  private static Optional<PostgresBinaries> newestInstalled() throws IOException {
    PostgresBinaries newest = null;
    for (String parent :
        new String[] {"/usr/lib/postgresql", "/opt/homebrew/opt", "/usr/local/opt", "/usr"}) {
      Path directory = Path.of(parent);
      if (!Files.isDirectory(directory)) {
        continue;
      }
      try (Stream<Path> children = Files.list(directory)) {
        for (Path child : children.toList()) {
          Path bin = child.resolve("bin");
          if (Files.isExecutable(bin.resolve("postgres"))
              && Files.isExecutable(bin.resolve("initdb"))
              && mayRun(bin)) {
            var candidate = new PostgresBinaries(bin, version(bin), true);
            if (newest == null || candidate.number() > newest.number()) {
              newest = candidate;
            }
          }
        }
      }
    }
    return Optional.ofNullable(newest);
  }

  /** Root does not run what another user can change. */
  private static boolean mayRun(Path bin) throws IOException {
    return Folders.user() != 0 || Folders.isSafe(bin.toRealPath());
  }

  /** The version as a number to compare: 15.18, and also 19beta1. */
  private int number() {
    Matcher leading = LEADING_NUMBERS.matcher(version);
    if (!leading.lookingAt()) {
      return 0;
    }
    int minor = leading.group(2) == null ? 0 : Integer.parseInt(leading.group(2));
    return Integer.parseInt(leading.group(1)) * 1000 + minor;
  }

  /**
   * Unpacks an archive into a folder of this user named by its content, once: a second process
   * finds the folder there, and of two at the same time the later gives way.
   */
  private static PostgresBinaries unpacked(byte[] archive) throws IOException {
    Path cache =
        Folders.temporary().resolve("berth-postgres-binaries-" + System.getProperty("user.name"));
    try {
      createFolder(cache);
    } catch (FileAlreadyExistsException e) {
      // somebody was faster, or it is a link to nowhere: that is looked at next
    }
    Folders.requireSafe(cache);
    Path home = cache.resolve(digest(archive));
    if (!Files.isDirectory(home)) {
      Path unfinished = Files.createTempDirectory(cache, "unfinished-");
      Files.setPosixFilePermissions(unfinished, PosixFilePermissions.fromString("rwxr-xr-x"));
      untar(archive, unfinished);
      try {
        Files.move(unfinished, home, StandardCopyOption.ATOMIC_MOVE);
      } catch (IOException e) {
        if (!Files.isDirectory(home)) {
          throw e;
        }
        deleteRecursively(unfinished);
      }
    }
    Path bin = home.resolve("bin");
    return new PostgresBinaries(bin, version(bin), false);
  }

  /** Others may read it, so that root can run what is in it as somebody else. */
  private static void createFolder(Path folder) throws IOException {
    if (!Files.isDirectory(folder)) {
      createFolder(requireNonNull(folder.getParent()));
      Files.createDirectory(folder);
      Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-xr-x"));
    }
  }

  private static void untar(byte[] archive, Path target) throws IOException {
    try (var tar =
        new TarArchiveInputStream(new XZInputStream(new ByteArrayInputStream(archive)))) {
      for (TarArchiveEntry entry = tar.getNextEntry(); entry != null; entry = tar.getNextEntry()) {
        Path path = target.resolve(entry.getName()).normalize();
        if (!path.startsWith(target)) {
          throw new IOException("The archive reaches outside its folder: " + entry.getName());
        }
        if (entry.isDirectory()) {
          createFolder(path);
          continue;
        }
        createFolder(requireNonNull(path.getParent()));
        if (entry.isSymbolicLink()) {
          Files.createSymbolicLink(path, Path.of(entry.getLinkName()));
        } else if (entry.isLink()) {
          Files.createLink(path, target.resolve(entry.getLinkName()).normalize());
        } else {
          Files.copy(tar, path);
          boolean executable = (entry.getMode() & 0100) != 0;
          Files.setPosixFilePermissions(
              path, PosixFilePermissions.fromString(executable ? "rwxr-xr-x" : "rw-r--r--"));
        }
      }
    }
  }

  private static void deleteRecursively(Path folder) throws IOException {
    try (Stream<Path> paths = Files.walk(folder)) {
      for (Path path : paths.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(path);
      }
    }
  }

  private static String version(Path bin) throws IOException {
    Process process =
        new ProcessBuilder(bin.resolve("postgres").toString(), "--version")
            .redirectErrorStream(true)
            .start();
    try (var output = new BufferedInputStream(process.getInputStream())) {
      String text = new String(output.readAllBytes(), UTF_8);
      Matcher matcher = VERSION.matcher(text);
      if (!matcher.find()) {
        throw new IOException(bin + " does not hold a working PostgreSQL: " + text.strip());
      }
      return matcher.group(1);
    }
  }

  private static String digest(byte[] archive) {
    try {
      byte[] hash = MessageDigest.getInstance("SHA-256").digest(archive);
      return HexFormat.of().formatHex(hash, 0, 12);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }

  private static String system() {
    return System.getProperty("os.name").toLowerCase(Locale.ROOT).startsWith("mac")
        ? "darwin"
        : "linux";
  }

  private static String machine() {
    return switch (System.getProperty("os.arch")) {
      case "aarch64" -> "arm_64";
      default -> "x86_64";
    };
  }
}
