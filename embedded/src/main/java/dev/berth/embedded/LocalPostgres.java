package dev.berth.embedded;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;

/**
 * A real PostgreSQL server on this machine, for tests, demos and benchmarks. It listens on the
 * loopback address only, lets nobody in without the random password that is part of {@link
 * #jdbcUrl}, and ends with this process, however this process ends.
 *
 * <p>For Linux and macOS (tested on Linux). PostgreSQL refuses to run as root, so under root it
 * runs as a user without an account; that needs Linux.
 */
public final class LocalPostgres implements AutoCloseable {
  private static final int PORT_ATTEMPTS = 5;

  private final PostgresBinaries binaries;
  private final Map<String, String> settings;
  private final Path directory;
  private final Path data;
  private final ServerUser user;
  private final Commands commands;
  private final Password password;
  private final Guard guard;
  private int port;

  private LocalPostgres(
      PostgresBinaries binaries, Map<String, String> settings, Path directory, boolean temporary)
      throws IOException {
    this.binaries = binaries;
    this.settings = settings;
    this.directory = directory;
    this.data = directory.resolve("data");
    this.password = initialised() ? storedPassword() : Password.random();
    this.user = ServerUser.in(directory);
    this.commands = user.commandsIn(directory);
    String mode = temporary ? "immediate" : "fast";
    this.guard = Guard.over(directory, commands.line(pgCtl("stop", "-m", mode)), temporary);
  }

  /** Which server to start, where it keeps its data, and how it is set. */
  public record Options(Source source, Optional<Path> directory, Map<String, String> settings) {
    public Options {
      settings = Map.copyOf(settings);
    }

    /** The bundled server in a temporary directory, with durable commits. */
    public static Options defaults() {
      return new Options(
          new Source.Bundled(),
          Optional.empty(),
          Map.of(
              "fsync", "on",
              "synchronous_commit", "on",
              "max_connections", "150",
              "shared_buffers", "256MB"));
    }

    /** Keeps the data in this directory, also after {@link LocalPostgres#close}. */
    public Options directory(Path directory) {
      return new Options(source, Optional.of(directory), settings);
    }

    /** Sets a parameter of {@code postgresql.conf}. */
    public Options setting(String name, String value) {
      var changed = new LinkedHashMap<>(settings);
      changed.put(name, value);
      return new Options(source, directory, changed);
    }

    /** Takes the server from a jar of binaries, such as that of another version. */
    public Options binariesFrom(Path jar) {
      return new Options(new Source.Jar(jar), directory, settings);
    }

    /**
     * Takes the newest PostgreSQL installed on this machine, and the bundled one when there is
     * none.
     */
    public Options preferInstalled() {
      return new Options(new Source.PreferInstalled(), directory, settings);
    }
  }

  /** Where the server's programs come from. */
  public sealed interface Source {
    /** The version on the class path. */
    record Bundled() implements Source {}

    /** The version in this jar. */
    record Jar(Path path) implements Source {}

    /** The newest version installed on this machine, or else the one on the class path. */
    record PreferInstalled() implements Source {}
  }

  /** Starts the bundled server in a temporary directory. */
  public static LocalPostgres start() {
    return start(Options.defaults());
  }

  /** Starts a server and returns when it accepts connections. */
  public static LocalPostgres start(Options options) {
    try {
      var binaries = PostgresBinaries.from(options.source());
      boolean temporary = options.directory().isEmpty();
      Path directory =
          temporary
              ? Files.createTempDirectory(Folders.temporary(), "berth-postgres-")
              : Files.createDirectories(options.directory().get()).toRealPath();
      LocalPostgres server;
      try {
        Folders.requireSafe(directory);
        server = new LocalPostgres(binaries, options.settings(), directory, temporary);
      } catch (RuntimeException | IOException e) {
        if (temporary) {
          Files.delete(directory); // nothing is in it yet
        }
        throw e;
      }
      try {
        server.initialise(temporary);
        server.startOnFreePort();
        return server;
      } catch (RuntimeException | IOException e) {
        server.close();
        throw e;
      }
    } catch (IOException e) {
      throw new UncheckedIOException("PostgreSQL could not be started: " + e.getMessage(), e);
    }
  }

  /** The version and where it came from, such as {@code PostgreSQL 18.6 (embedded)}. */
  public String describe() {
    return "PostgreSQL %s (%s)"
        .formatted(binaries.version(), binaries.installed() ? "installed" : "embedded");
  }

  /**
   * The address of the database {@code postgres}, with the password: not for the eyes of others.
   */
  public String jdbcUrl() {
    return jdbcUrl("postgres");
  }

  /** The address of a database, whether it exists or not. */
  public String jdbcUrl(String database) {
    return "jdbc:postgresql://127.0.0.1:%d/%s?user=postgres&password=%s"
        .formatted(port, database, password.text());
  }

  /** Creates an empty database and returns its address. */
  public String createDatabase(String name) {
    execute("create database " + checked(name));
    return jdbcUrl(name);
  }

  /**
   * Creates a role that may log in, with the password of this server: in a URL of it, {@code
   * user=postgres} can be replaced by the name.
   *
   * @param options such as {@code noinherit}
   */
  public void createRole(String name, String... options) {
    execute(
        "create role %s login %s password '%s'"
            .formatted(checked(name), String.join(" ", options), password.verifier()));
  }

  private static String checked(String name) {
    if (!name.matches("[a-z_][a-z0-9_]{0,62}")) {
      throw new IllegalArgumentException(
          "A name here is lower-case letters, digits and underscores, not '" + name + "'.");
    }
    return name;
  }

  private void execute(String sql) {
    try (Connection connection = DriverManager.getConnection(jdbcUrl());
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    } catch (SQLException e) {
      throw new IllegalStateException(e.getMessage(), e);
    }
  }

  public int port() {
    return port;
  }

  /** The folder with the server's data and log. */
  public Path directory() {
    return directory;
  }

  /**
   * Stops the server in good order, breaking its connections. The data stays until {@link #close}.
   */
  public void stop() {
    if (running()) {
      commands.run(pgCtl("stop", "-m", "fast"));
    }
  }

  /** Kills the server as a power cut would: no process gets to say goodbye. */
  public void crash() {
    postmaster()
        .ifPresent(postmaster -> {
          List<ProcessHandle> processes =
              Stream.concat(Stream.of(postmaster), postmaster.descendants()).toList();
          kill(processes);
          awaitExit(processes);
        });
  }

  /**
   * As the server's user: its own file says which processes they are. One that ended by itself
   * meanwhile is no fault; who is still there is seen when they are waited for.
   */
  private void kill(List<ProcessHandle> processes) {
    var line = Stream.of("sh", "-c", "kill -9 \"$@\" || true", "kill");
    var numbers = processes.stream().map(process -> Long.toString(process.pid()));
    commands.run(Stream.concat(line, numbers).toList());
  }

  /** Starts the server again on the same port, stopping it first if it runs. */
  public void restart() {
    stop();
    try {
      startOn(port);
    } catch (IOException e) {
      throw new UncheckedIOException("PostgreSQL could not be restarted: " + e.getMessage(), e);
    }
  }

  public boolean running() {
    return postmaster().isPresent();
  }

  /** Stops the server and, when its directory is temporary, deletes it. Twice is fine. */
  @Override
  public void close() {
    guard.release(Commands.PATIENCE);
  }

  private boolean initialised() {
    return Files.exists(data.resolve("PG_VERSION"));
  }

  /** Of a folder that was kept. */
  private Password storedPassword() throws IOException {
    if (Files.notExists(passwordFile())) {
      throw new IllegalStateException(
          "%s holds a database without a password, which anybody on this machine could open. Delete the folder or choose another."
              .formatted(directory));
    }
    return new Password(Files.readString(passwordFile()));
  }

  private Path passwordFile() {
    return directory.resolve("password");
  }

  private void initialise(boolean temporary) throws IOException {
    Folders.write(commands.log(), "");
    if (initialised()) {
      stop(); // left running by a process that was killed together with its guard
      return;
    }
    if (!temporary) {
      Folders.write(passwordFile(), password.text());
    }
    // initdb 13 takes no more than 99 characters; a verifier has more
    boolean old = binaries.version().startsWith("13.");
    Path secret = directory.resolve("secret");
    Folders.write(secret, old ? password.text() : password.verifier());
    user.share(secret);
    var initdb =
        Stream.of(
            "initdb",
            "-D",
            data.toString(),
            "-U",
            "postgres",
            "-A",
            "scram-sha-256",
            "--pwfile",
            secret.toString(),
            "-E",
            "UTF8",
            "--locale=C");
    Stream<String> sync = temporary ? Stream.of("--no-sync") : Stream.of();
    user.initialise(directory, program(Stream.concat(initdb, sync).toList()));
    Files.delete(secret);
    Path main = data.resolve("postgresql.conf");
    Files.writeString(main, Files.readString(main) + "\ninclude '../berth.conf'\n");
  }

  private void startOnFreePort() throws IOException {
    for (int attempt = 1; ; attempt++) {
      try {
        startOn(freePort());
        return;
      } catch (IllegalStateException e) {
        boolean portTaken = Files.readString(commands.log()).contains("Address already in use");
        if (!portTaken || attempt == PORT_ATTEMPTS) {
          throw e;
        }
        Folders.write(commands.log(), "");
      }
    }
  }

  private void startOn(int port) throws IOException {
    this.port = port;
    var lines = new LinkedHashMap<>(settings);
    lines.put("port", Integer.toString(port));
    lines.put("listen_addresses", "127.0.0.1");
    lines.put("unix_socket_directories", "");
    var text = new StringBuilder();
    lines.forEach(
        (name, value) -> text.append("%s = '%s'%n".formatted(name, value.replace("'", "''"))));
    Path file = directory.resolve("berth.conf");
    Folders.write(file, text.toString());
    user.share(file);
    commands.run(pgCtl("start"));
  }

  private List<String> pgCtl(String action, String... arguments) {
    var line =
        Stream.of(
            "pg_ctl",
            action,
            "-D",
            data.toString(),
            "-w",
            "-t",
            Long.toString(Commands.PATIENCE.toSeconds()));
    return program(Stream.concat(line, Stream.of(arguments)).toList());
  }

  private List<String> program(List<String> line) {
    return Stream.concat(
            Stream.of(binaries.directory().resolve(line.getFirst()).toString()),
            line.stream().skip(1))
        .toList();
  }

  /**
   * The server's first process, if it is alive, as the server wrote it down in its data directory.
   */
  private Optional<ProcessHandle> postmaster() {
    Path file = data.resolve("postmaster.pid");
    try (Stream<String> lines = Files.lines(file)) {
      return lines
          .findFirst()
          .map(Long::valueOf)
          .flatMap(ProcessHandle::of)
          .filter(ProcessHandle::isAlive);
    } catch (IOException e) {
      return Optional.empty();
    }
  }

  private static void awaitExit(List<ProcessHandle> processes) {
    var exits = processes.stream().map(ProcessHandle::onExit).toArray(CompletableFuture[]::new);
    try {
      CompletableFuture.allOf(exits).get(Commands.PATIENCE.toSeconds(), TimeUnit.SECONDS);
    } catch (ExecutionException | TimeoutException e) {
      throw new IllegalStateException("PostgreSQL did not end when killed.", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("Interrupted while PostgreSQL was ending.", e);
    }
  }

  private static int freePort() throws IOException {
    try (var socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }
}
