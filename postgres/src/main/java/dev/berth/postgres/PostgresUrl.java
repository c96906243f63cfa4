package dev.berth.postgres;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.net.URI;
import java.net.URISyntaxException;
import java.net.URLDecoder;
import java.net.URLEncoder;
import org.jspecify.annotations.Nullable;
import org.postgresql.Driver;

/**
 * The two ways to write the address of a PostgreSQL database: that of JDBC, and that of psql,
 * {@code postgres://user:password@host/database?sslmode=require}.
 */
public final class PostgresUrl {

  private static final String JDBC = "jdbc:postgresql:";
  private static final String EXAMPLES =
      "write jdbc:postgresql://HOST/DATABASE?user=USER or postgres://USER:PASSWORD@HOST/DATABASE";

  private PostgresUrl() {}

  /** Whether it is one of the two, right or wrong in what follows. */
  static boolean accepts(String url) {
    return url.startsWith(JDBC) || isUri(url);
  }

  /**
   * The address as JDBC wants it.
   *
   * @throws IllegalArgumentException if it cannot be read; the message repeats no password
   */
  public static String jdbc(String url) {
    String jdbc = url.startsWith(JDBC) ? url : fromUri(url);
    if (Driver.parseURL(jdbc, null) == null) { // the driver would repeat it, with the password
      throw invalid("The database URL cannot be read: its host, port or database is wrong");
    }
    return jdbc;
  }

  private static String fromUri(String url) {
    if (!isUri(url)) {
      throw invalid("\"" + scheme(url) + "\" is not the URL of a PostgreSQL database");
    }
    return fromUri(parse(url));
  }

  private static boolean isUri(String url) {
    return url.startsWith("postgres://") || url.startsWith("postgresql://");
  }

  private static String fromUri(URI uri) {
    if (uri.getHost() == null) {
      throw invalid("The database URL names no host");
    }
    StringBuilder jdbc = new StringBuilder(JDBC + "//").append(uri.getHost());
    if (uri.getPort() >= 0) {
      jdbc.append(':').append(uri.getPort());
    }
    jdbc.append(uri.getRawPath().isEmpty() ? "/" : withPlus(uri.getRawPath()));
    String separator = "?";
    if (uri.getRawQuery() != null) {
      jdbc.append(separator).append(withPlus(uri.getRawQuery()));
      separator = "&";
    }
    for (String parameter : credentials(uri.getRawUserInfo())) {
      jdbc.append(separator).append(parameter);
      separator = "&";
    }
    return jdbc.toString();
  }

  private static String[] credentials(@Nullable String userInfo) {
    if (userInfo == null || userInfo.isEmpty()) {
      return new String[0];
    }
    int colon = userInfo.indexOf(':');
    return colon < 0
        ? new String[] {"user=" + encoded(userInfo)}
        : new String[] {
          "user=" + encoded(userInfo.substring(0, colon)),
          "password=" + encoded(userInfo.substring(colon + 1))
        };
  }

  /** What stands there may be escaped in fewer places than JDBC wants. */
  private static String encoded(String raw) {
    return URLEncoder.encode(URLDecoder.decode(withPlus(raw), UTF_8), UTF_8);
  }

  /** A plus is a plus in the one form, and a space in the other. */
  private static String withPlus(String raw) {
    return raw.replace("+", "%2B");
  }

  private static URI parse(String url) {
    try {
      return new URI(url);
    } catch (URISyntaxException e) {
      // without the cause, whose message repeats the URL and the password in it
      throw invalid(
          "The database URL cannot be read (%s at character %d; in a password, write @ : / as %%40 %%3A %%2F)"
              .formatted(e.getReason(), e.getIndex() + 1));
    }
  }

  /** What stands before the first slash or sign of a password. */
  private static String scheme(String url) {
    int end = url.indexOf("//");
    return end < 0 ? url.replaceAll("[:@].*", ":…") : url.substring(0, end) + "//…";
  }

  private static IllegalArgumentException invalid(String problem) {
    return new IllegalArgumentException(problem + "; " + EXAMPLES);
  }
}
