package dev.berth.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.SocketFactory;
import org.junit.jupiter.api.Test;
import org.postgresql.PGConnection;

class PromptSocketsTest {

  @Test
  void aLookFindsWhatHasArrivedAndNothingElse() throws Exception {
    try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        Socket here = new PromptSockets().createSocket(server.getInetAddress(), port(server));
        Socket there = server.accept()) {
      InputStream in = here.getInputStream();
      OutputStream out = there.getOutputStream();

      here.setSoTimeout(1);
      assertThatThrownBy(in::read).isInstanceOf(SocketTimeoutException.class);

      out.write(new byte[] {7, 8});
      here.setSoTimeout(0);
      assertThat(in.read()).isEqualTo(7);
      here.setSoTimeout(1);
      assertThat(in.readNBytes(1)).containsExactly(8);

      here.setSoTimeout(0);
      CompletableFuture<Integer> waiting = CompletableFuture.supplyAsync(() -> read(in));
      out.write(9);
      assertThat(waiting.get()).isEqualTo(9);
    }
  }

  @Test
  void notificationsAreHeardOnTheConnectionsOfOurPools() throws SQLException {
    try (HikariDataSource pool = PostgresStoreProvider.pool(Servers.NEWEST.database());
        Connection listening = pool.getConnection();
        Connection telling = pool.getConnection();
        Statement listen = listening.createStatement();
        Statement tell = telling.createStatement()) {
      listen.execute("listen news");
      tell.execute("notify news, 'one'");
      PGConnection driver = listening.unwrap(PGConnection.class);
      assertThat(driver.getNotifications(10_000))
          .singleElement()
          .satisfies(heard -> assertThat(heard.getParameter()).isEqualTo("one"));
      assertThat(driver.getNotifications()).isNullOrEmpty();
    }
  }

  @Test
  void theSocketsThatAUrlNamesAreUsed() throws SQLException {
    String url = Servers.NEWEST.database();
    String named =
        url + (url.contains("?") ? "&" : "?") + "socketFactory=" + Counted.class.getName();
    try (HikariDataSource pool = PostgresStoreProvider.pool(named);
        Connection connection = pool.getConnection()) {
      assertThat(connection.isValid(10)).isTrue();
    }
    assertThat(Counted.made).hasPositiveValue();
  }

  /** Sockets of somebody else. */
  public static final class Counted extends SocketFactory {

    static final AtomicInteger made = new AtomicInteger();

    @Override
    public Socket createSocket() {
      made.incrementAndGet();
      return new Socket();
    }

    @Override
    public Socket createSocket(String host, int port) {
      throw new UnsupportedOperationException();
    }

    @Override
    public Socket createSocket(String host, int port, InetAddress from, int fromPort) {
      throw new UnsupportedOperationException();
    }

    @Override
    public Socket createSocket(InetAddress host, int port) {
      throw new UnsupportedOperationException();
    }

    @Override
    public Socket createSocket(InetAddress host, int port, InetAddress from, int fromPort) {
      throw new UnsupportedOperationException();
    }
  }

  private static int port(ServerSocket server) {
    return server.getLocalPort();
  }

  private static int read(InputStream in) {
    try {
      return in.read();
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }
}
