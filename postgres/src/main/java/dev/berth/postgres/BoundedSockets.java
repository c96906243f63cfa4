package dev.berth.postgres;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import org.jspecify.annotations.Nullable;

/**
 * Sockets for the connection of one SQL task: they break when more has come in than any of them
 * needs. The driver keeps every notice, every row and the whole text of an error in memory, and a
 * statement may send as many as it likes. {@link RoleConnections#runner} and {@link
 * RoleConnections#launchers} use them; for connections of your own, add {@code
 * socketFactory=dev.berth.postgres.BoundedSockets} to their URL.
 */
public final class BoundedSockets extends StreamSockets {

  /** The result of a task has some thousand characters, and nobody reads its notices. */
  static final int MOST_BYTES = 4_000_000;

  private static final class TooMuch extends IOException {
    TooMuch() {
      super("more than " + MOST_BYTES + " bytes have come in");
    }
  }

  /** Whether the connection broke for that. */
  static boolean broke(@Nullable Throwable failure) {
    return failure != null && (failure instanceof TooMuch || broke(failure.getCause()));
  }

  @Override
  public Socket createSocket() {
    return new Socket() {
      @Override
      public InputStream getInputStream() throws IOException {
        return new Counted(super.getInputStream());
      }
    };
  }

  private static final class Counted extends FilterInputStream {

    private long bytes;

    Counted(InputStream in) {
      super(in);
    }

    @Override
    public int read() throws IOException {
      int read = in.read();
      count(1);
      return read;
    }

    @Override
    public int read(byte[] into, int at, int length) throws IOException {
      int read = in.read(into, at, length);
      count(read);
      return read;
    }

    private void count(int more) throws TooMuch {
      bytes += more;
      if (bytes > MOST_BYTES) {
        throw new TooMuch();
      }
    }
  }
}
