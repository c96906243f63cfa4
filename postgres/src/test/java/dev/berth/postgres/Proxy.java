package dev.berth.postgres;

import java.io.Closeable;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;

/**
 * A bad network between a store and its database. It forwards every byte until it is told to lose
 * something; it understands just enough of the protocol to know where a reply ends.
 */
final class Proxy implements AutoCloseable {

  /** Ends the reply to a request; the server sends it after the commit. */
  private static final byte READY_FOR_QUERY = 'Z';

  /** What is lost, together with the connection, when a certain text comes by; once. */
  record Cut(Moment moment, String text, CountDownLatch done) {

    enum Moment {
      /** A request with this text: the server never sees it. */
      REQUEST,
      /** The reply to a request with this text: the server has committed. */
      REPLY_TO,
      /** A reply with this text in it: the server has committed. */
      REPLY
    }

    boolean matches(Moment now, byte[] bytes, int length) {
      return moment == now && new String(bytes, 0, length, StandardCharsets.UTF_8).contains(text);
    }

    /** Waits until the connection was cut. */
    void await() throws InterruptedException {
      if (!done.await(20, TimeUnit.SECONDS)) {
        throw new AssertionError("Nothing contained " + text);
      }
    }
  }

  private final URI database;
  private final ServerSocket listening;
  private final Set<Link> links = ConcurrentHashMap.newKeySet();
  private final AtomicReference<Cut> cut = new AtomicReference<>();
  private volatile boolean swallowing;

  private Proxy(URI database, ServerSocket listening) {
    this.database = database;
    this.listening = listening;
  }

  static Proxy to(String url) {
    try {
      URI database = URI.create(url.substring("jdbc:".length()));
      Proxy proxy = new Proxy(database, new ServerSocket(0, 50, InetAddress.getLoopbackAddress()));
      Thread.ofVirtual().name("proxy").start(proxy::accept);
      return proxy;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The database as it is reached through here; the text of statements is sent each time. */
  String url() {
    return "jdbc:postgresql://127.0.0.1:%d%s?%s&sslmode=disable&prepareThreshold=0"
        .formatted(listening.getLocalPort(), database.getPath(), database.getQuery());
  }

  /** Cuts the connection on which this text comes by next. */
  Cut cut(Cut.Moment moment, String text) {
    Cut ordered = new Cut(moment, text, new CountDownLatch(1));
    cut.set(ordered);
    return ordered;
  }

  /** From now on nothing passes on the connections there are, and nobody is told. */
  void swallow() {
    links.forEach(link -> link.swallowing = true);
  }

  /** Nothing passes any more, on new connections neither. */
  void swallowAll() {
    swallowing = true;
    swallow();
  }

  /** New connections work again; those that were swallowed stay so. */
  void restore() {
    swallowing = false;
  }

  @Override
  public void close() {
    quietly(listening);
    links.forEach(Link::close);
  }

  private void accept() {
    while (!listening.isClosed()) {
      try {
        Socket client = listening.accept();
        Link link = new Link(client, new Socket(database.getHost(), database.getPort()));
        links.add(link);
        link.swallowing = swallowing;
        Thread.ofVirtual().name("proxy-up").start(() -> link.pump(link::requests));
        Thread.ofVirtual().name("proxy-down").start(() -> link.pump(link::replies));
      } catch (IOException e) {
        // closed, or the server is down: the client sees a cut connection
      }
    }
  }

  private static void quietly(Closeable closed) {
    try {
      closed.close();
    } catch (IOException e) {
      // it was closed already
    }
  }

  private interface Pumping {
    void run() throws IOException;
  }

  /** One connection. */
  private final class Link {
    private final Socket client;
    private final Socket server;
    private volatile boolean swallowing;
    private volatile Cut afterReply;

    Link(Socket client, Socket server) throws IOException {
      this.client = client;
      this.server = server;
      client.setTcpNoDelay(true);
      server.setTcpNoDelay(true);
    }

    void pump(Pumping pumping) {
      try {
        pumping.run();
      } catch (IOException e) {
        // either side hung up
      } finally {
        close();
      }
    }

    void requests() throws IOException {
      InputStream in = client.getInputStream();
      OutputStream out = server.getOutputStream();
      byte[] buffer = new byte[64 * 1024];
      for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
        Cut request = take(Cut.Moment.REQUEST, buffer, read);
        if (request != null) {
          close();
          request.done.countDown();
          return;
        }
        Cut replyTo = take(Cut.Moment.REPLY_TO, buffer, read);
        if (replyTo != null) {
          afterReply = replyTo;
        }
        if (!swallowing) {
          out.write(buffer, 0, read);
        }
      }
    }

    void replies() throws IOException {
      DataInputStream in = new DataInputStream(server.getInputStream());
      OutputStream out = client.getOutputStream();
      while (true) {
        int type = in.read();
        if (type < 0) {
          return;
        }
        int length = in.readInt();
        byte[] message = new byte[1 + length];
        message[0] = (byte) type;
        for (int i = 0; i < 4; i++) {
          message[1 + i] = (byte) (length >>> (24 - 8 * i));
        }
        in.readFully(message, 5, length - 4);
        if (afterReply == null) {
          afterReply = take(Cut.Moment.REPLY, message, message.length);
        }
        Cut lost = afterReply;
        if (lost == null) {
          if (!swallowing) {
            out.write(message);
          }
        } else if (type == READY_FOR_QUERY) {
          close();
          lost.done.countDown();
          return;
        }
      }
    }

    private Cut take(Cut.Moment now, byte[] bytes, int length) {
      Cut ordered = cut.get();
      boolean taken =
          ordered != null
              && ordered.matches(now, bytes, length)
              && cut.compareAndSet(ordered, null);
      return taken ? ordered : null;
    }

    void close() {
      if (!swallowing) { // a dead peer does not say that it is dead
        quietly(client);
      }
      quietly(server);
      if (!swallowing || listening.isClosed()) {
        quietly(client);
        links.remove(this);
      }
    }
  }
}
