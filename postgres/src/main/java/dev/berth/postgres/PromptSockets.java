package dev.berth.postgres;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;

/**
 * Sockets on which wake-ups are heard a millisecond sooner. When the driver has read a notification
 * it first looks for a second one, with a read that may take a millisecond, before it tells anybody
 * of the first. On these sockets such a look ends at once if nothing has arrived. Stores that are
 * opened by their URL use them; for a pool of your own, add {@code
 * socketFactory=dev.berth.postgres.PromptSockets} to its URL.
 */
public final class PromptSockets extends StreamSockets {

  /** The timeout, in milliseconds, with which the driver looks whether there is more. */
  private static final int LOOK = 1;

  @Override
  public Socket createSocket() {
    return new PromptSocket();
  }

  private static final class PromptSocket extends Socket {

    private volatile boolean looking;

    @Override
    public void setSoTimeout(int millis) throws SocketException {
      super.setSoTimeout(millis);
      looking = millis == LOOK;
    }

    @Override
    public InputStream getInputStream() throws IOException {
      return new PromptStream(super.getInputStream());
    }

    private final class PromptStream extends FilterInputStream {

      PromptStream(InputStream in) {
        super(in);
      }

      @Override
      public int read() throws IOException {
        look();
        return in.read();
      }

      @Override
      public int read(byte[] into, int at, int length) throws IOException {
        look();
        return in.read(into, at, length);
      }

      /** Only the first read of a look: under TLS the rest of a record may be on its way. */
      private void look() throws IOException {
        if (looking) {
          if (in.available() == 0) {
            throw new SocketTimeoutException("Nothing has arrived");
          }
          looking = false;
        }
      }
    }
  }
}
