package dev.berth.cli;

import dev.berth.store.StoreException;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** The two ways to write the address of a PostgreSQL database: that of JDBC and that of psql. */
final class DatabaseUrl {

  private static final String JDBC = "jdbc:postgresql:";
  private static final String EXAMPLES =
      "write jdbc:postgresql://HOST/DATABASE?user=USER or postgres://USER:PASSWORD@HOST/DATABASE";

  private DatabaseUrl() {}

  /** The address as JDBC wants it. */
  static String jdbc(String url) {
    if (url.startsWith(JDBC)) {
      return url;
    }
    if (!url.startsWith("postgres://") && !url.startsWith("postgresql://")) {
      throw invalid("\"" + scheme(url) + "\" is not the URL of a PostgreSQL database");
    }
    return fromUri(parse(url));
  }

  private static String fromUri(URI uri) {
    if (uri.getHost() == null) {
      throw invalid("The database URL names no host");
    }
    StringBuilder jdbc = new StringBuilder(JDBC + "//").append(uri.getHost());
    if (uri.getPort() >= 0) {
      jdbc.append(':').append(uri.getPort());
    }
    jdbc.append(uri.getRawPath().isEmpty() ? "/" : uri.getRawPath());
    String separator = "?";
    if (uri.getRawQuery() != null) {
      jdbc.append(separator).append(uri.getRawQuery());
      separator = "&";
    }
    for (String parameter : credentials(uri.getUserInfo())) {
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

  private static String encoded(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8);
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

  private static StoreException invalid(String problem) {
    return new StoreException(StoreException.Kind.INVALID, problem + "; " + EXAMPLES);
  }
}
