package dev.berth.postgres;

import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** A PgBouncer in transaction mode in front of a server, where the program is installed. */
final class PgBouncer implements AutoCloseable {

  private static final FileAttribute<?> OWNER_ONLY =
      PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));

  private final Path directory;
  private final Process process;
  private final int port;

  private PgBouncer(Path directory, Process process, int port) {
    this.directory = directory;
    this.process = process;
    this.port = port;
  }

  /** Where the program is, if it is installed. */
  static Optional<Path> program() {
    return Stream.concat(
            Stream.of(System.getenv("PATH").split(":")), Stream.of("/usr/sbin", "/usr/local/sbin"))
        .map(folder -> Path.of(folder, "pgbouncer"))
        .filter(Files::isExecutable)
        .findFirst();
  }

  /** Starts it in front of the server of this database. */
  static PgBouncer inFrontOf(String url) {
    try {
      Path directory = Files.createTempDirectory("berth-pgbouncer-");
      directory.toFile().setExecutable(true, false);
      directory.toFile().setReadable(true, false);
      URI server = URI.create(url.substring("jdbc:".length()));
      int port = freePort();
      Path users = directory.resolve("users.txt");
      Files.createFile(users, OWNER_ONLY);
      Files.writeString(users, "\"postgres\" \"%s\"\n".formatted(Sql.password(url)));
      Path settings = directory.resolve("pgbouncer.ini");
      Files.writeString(
          settings,
          """
          [databases]
          * = host=%s port=%d
          [pgbouncer]
          listen_addr = 127.0.0.1
          listen_port = %d
          unix_socket_dir =
          pool_mode = transaction
          default_pool_size = 5
          max_client_conn = 1000
          auth_type = scram-sha-256
          auth_file = %s
          """
              .formatted(server.getHost(), server.getPort(), port, users));
      List<String> command = new ArrayList<>();
      command.add(program().orElseThrow().toString());
      if (System.getProperty("user.name").equals("root")) {
        command.addAll(List.of("-u", "nobody")); // it refuses to run as root
      }
      command.add(settings.toString());
      Process process =
          new ProcessBuilder(command)
              .redirectErrorStream(true)
              .redirectOutput(directory.resolve("log").toFile())
              .start();
      PgBouncer bouncer = new PgBouncer(directory, process, port);
      await().until(bouncer::answers);
      return bouncer;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The database as it is reached through here. */
  String url(String direct) {
    return direct.replaceFirst(":\\d+/", ":" + port + "/") + "&prepareThreshold=0";
  }

  @Override
  public void close() {
    process.destroy();
    process.onExit().join();
    try (Stream<Path> files = Files.list(directory)) {
      for (Path file : files.toList()) {
        Files.delete(file);
      }
      Files.delete(directory);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private boolean answers() throws IOException {
    if (!process.isAlive()) {
      throw new AssertionError("PgBouncer ended: " + Files.readString(directory.resolve("log")));
    }
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
      return socket.isConnected();
    } catch (IOException e) {
      return false;
    }
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }
}
