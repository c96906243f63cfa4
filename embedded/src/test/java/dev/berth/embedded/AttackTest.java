package dev.berth.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.berth.embedded.LocalPostgres.Options;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What another user of the machine tries while a server runs, or before one is started. */
class AttackTest {

  private static final boolean ROOT = "root".equals(System.getProperty("user.name"));

  static Stream<Options> versions() {
    Path oldest = Path.of(System.getProperty("berth.test.oldest-postgres"));
    Options options = Options.defaults();
    return Stream.of(options, options.binariesFrom(oldest), options.preferInstalled());
  }

  @ParameterizedTest
  @MethodSource("versions")
  void nobodyGetsInWithoutThePassword(Options options) throws SQLException {
    try (var server = LocalPostgres.start(options)) {
      String noPassword = server.jdbcUrl().replaceAll("&password=.*", "");

      assertThatThrownBy(() -> Query.one(noPassword, "select 1")).hasMessageContaining("password");
      assertThatThrownBy(() -> Query.one(noPassword + "&password=postgres", "select 1"))
          .hasMessageContaining("password authentication failed");
      assertThat(Query.all(server.jdbcUrl(), "select auth_method from pg_hba_file_rules"))
          .isNotEmpty()
          .containsOnly("scram-sha-256");
      assertThat(Query.one(server.jdbcUrl(), "show listen_addresses")).isEqualTo("127.0.0.1");
      assertThat(Query.one(server.jdbcUrl(), "show unix_socket_directories")).isEmpty();
    }
  }

  @ParameterizedTest
  @MethodSource("versions")
  void whatRootStartsHasNoRightsOfRoot(Options options) throws SQLException {
    assumeTrue(ROOT, "not root");
    try (var server = LocalPostgres.start(options)) {
      String url = server.jdbcUrl();
      Query.run(url, "create table uid (number text)", "copy uid from program 'id -u'");
      String uid = Query.one(url, "select number from uid");

      assertThat(ProcessRun.of("id", uid).exit()).as("account of " + uid).isNotZero();
      assertThatThrownBy(() -> Query.one(url, "select pg_read_file('/etc/shadow')"))
          .hasMessageContaining("Permission denied");
    }
  }

  @Test
  void anotherUserFindsNothingInTheFolder() throws IOException {
    try (var server = LocalPostgres.start()) {
      Path directory = server.directory();
      Path rules = directory.resolve("data/pg_hba.conf");

      assertThat(mode(directory)).endsWith("---");
      assertThat(mode(directory.resolve("data"))).endsWith("------");
      if (ROOT) {
        assertThat(asNobody("ls", directory.toString()).output()).contains("denied");
        assertThat(asNobody("cat", rules.toString()).output()).contains("denied");
      }
    }
  }

  @Test
  void thePasswordIsOnNoCommandLineAndInNoFile() throws IOException {
    try (var server = LocalPostgres.start()) {
      String password = password(server);
      assertThat(ProcessHandle.allProcesses().map(each -> each.info().commandLine().orElse("")))
          .noneMatch(line -> line.contains(password));
      assertThat(ProcessRun.of("grep", "-rlF", password, server.directory().toString()).output())
          .isEmpty();
    }
  }

  @Test
  void theServerSeesNothingOfOurEnvironment() throws SQLException {
    try (var server = LocalPostgres.start()) {
      Query.run(server.jdbcUrl(), "create table seen (line text)", "copy seen from program 'env'");

      assertThat(System.getenv()).containsKey("HOME");
      assertThat(Query.all(server.jdbcUrl(), "select line from seen"))
          .anyMatch(line -> line.startsWith("PATH="))
          .noneMatch(line -> line.startsWith("HOME="));
    }
  }

  @Test
  void everyServerHasAPasswordOfItsOwn() {
    try (var one = LocalPostgres.start();
        var other = LocalPostgres.start()) {
      assertThat(password(one)).hasSizeGreaterThan(30).isNotEqualTo(password(other));
    }
  }

  @Test
  void aDatabaseThatWasMadeWithoutAPasswordIsRefused(@TempDir Path directory) throws IOException {
    Files.createFile(Files.createDirectory(directory.resolve("data")).resolve("PG_VERSION"));

    assertThatThrownBy(() -> LocalPostgres.start(Options.defaults().directory(directory)))
        .hasMessageContaining("without a password")
        .hasMessageContaining("Delete the folder");
  }

  @Test
  void whereRootCannotBecomeAnotherUserNothingStarts(@TempDir Path empty) {
    assumeTrue(ROOT, "not root");
    var start = ProcessRun.of(Map.of("PATH", empty.toString()), java(StartAndStop.class));

    assertThat(start.output())
        .contains("PostgreSQL does not run as root, and 'setpriv'", "use an ordinary user.");
  }

  /** In a namespace of one user. */
  @Test
  void whereRootIsTheOnlyUserNothingStarts() {
    List<String> alone = new ArrayList<>(List.of("unshare", "--user", "--map-root-user", "--"));
    assumeTrue(succeeds(alone, "true"), "no namespaces of users");
    alone.addAll(List.of(java(StartAndStop.class)));
    var start = ProcessRun.of(alone.toArray(String[]::new));

    assertThat(start.exit()).isNotZero();
    assertThat(start.output())
        .contains("PostgreSQL does not run as root, and there is no user with the number")
        .contains("use an ordinary user.");
  }

  private static boolean succeeds(List<String> command, String more) {
    List<String> line = new ArrayList<>(command);
    line.add(more);
    try {
      return ProcessRun.of(line.toArray(String[]::new)).exit() == 0;
    } catch (UncheckedIOException e) { // there is no such program
      return false;
    }
  }

  @Test
  void aPlantedFolderOfBinariesIsRefused(@TempDir Path folder) throws IOException {
    Path shared = shared(folder);
    Path planted = shared.resolve("berth-postgres-binaries-" + System.getProperty("user.name"));
    Path ours = Files.createDirectory(folder.resolve("ours")); // to whom it belongs is all right
    plant("ln", "-s", ours.toString(), planted.toString());

    var start = start(shared);

    assertThat(start.exit()).isNotZero();
    assertThat(start.output()).contains(planted + " is not a folder but a link");
    assertThat(ours).isEmptyDirectory();
  }

  @Test
  void aFolderOfBinariesThatAnotherUserMadeIsRefused(@TempDir Path folder) throws IOException {
    assumeTrue(ROOT, "only root can be somebody else");
    Path shared = shared(folder);
    Path planted = shared.resolve("berth-postgres-binaries-root");
    plant("mkdir", planted.toString());

    assertThat(start(shared).output()).contains(planted + " belongs to nobody");
  }

  @Test
  void aFolderOfBinariesThatOthersMayWriteIsRefused(@TempDir Path folder) throws IOException {
    Path shared = shared(folder);
    Path cache = shared.resolve("berth-postgres-binaries-" + System.getProperty("user.name"));
    Files.createDirectory(cache);
    Files.setPosixFilePermissions(cache, PosixFilePermissions.fromString("rwxrwxrwx"));

    assertThat(start(shared).output()).contains(cache + " can be written by others");
  }

  @Test
  void aTemporaryFolderWhereOthersMayRenameIsRefused(@TempDir Path folder) throws IOException {
    Path shared = shared(folder);
    Files.setPosixFilePermissions(shared, PosixFilePermissions.fromString("rwxrwxrwx"));

    assertThat(start(shared).output()).contains(shared + " can be written by others");
  }

  /** A folder as {@code /tmp} is: everybody may make files, and nobody may touch another's. */
  private static Path shared(Path folder) throws IOException {
    Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-xr-x"));
    Path shared = Files.createDirectory(folder.resolve("shared")).toRealPath();
    Files.setAttribute(shared, "unix:mode", 01777);
    return shared;
  }

  /** Starts a server in a process with this folder for temporary files. */
  private static ProcessRun start(Path temporary) {
    return ProcessRun.of(java(StartAndStop.class, "-Djava.io.tmpdir=" + temporary));
  }

  private static String[] java(Class<?> main, String... options) {
    Path java = Path.of(System.getProperty("java.home"), "bin", "java");
    List<String> line = new ArrayList<>(List.of(java.toString()));
    line.addAll(List.of(options));
    line.addAll(List.of("-cp", System.getProperty("java.class.path"), main.getName()));
    return line.toArray(String[]::new);
  }

  static final class StartAndStop {
    public static void main(String[] arguments) {
      LocalPostgres.start().close();
    }
  }

  /** By somebody else where that is possible. */
  private static void plant(String... command) {
    ProcessRun planted = ROOT ? asNobody(command) : ProcessRun.of(command);
    assertThat(planted.exit()).as(planted.output()).isZero();
  }

  private static ProcessRun asNobody(String... command) {
    var line =
        new ArrayList<>(List.of("setpriv", "--reuid=nobody", "--regid=65534", "--clear-groups"));
    line.addAll(List.of(command));
    return ProcessRun.of(line.toArray(String[]::new));
  }

  private static String mode(Path path) throws IOException {
    return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
  }

  private static String password(LocalPostgres server) {
    assertThat(server.jdbcUrl()).contains("&password=");
    return server.jdbcUrl().replaceAll(".*&password=", "");
  }
}
