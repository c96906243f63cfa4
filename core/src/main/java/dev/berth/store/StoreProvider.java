package dev.berth.store;

import java.util.List;
import java.util.ServiceLoader;

/** Opens stores by URL; found by {@link ServiceLoader}, so that the core names no store. */
public interface StoreProvider {

  /** What its URLs look like, for people ("jdbc:postgresql://…"). */
  String example();

  boolean accepts(String url);

  Store open(String url);

  /** Opens the store of whichever provider on the class path accepts the URL. */
  static Store openAny(String url) {
    List<StoreProvider> all =
        ServiceLoader.load(StoreProvider.class).stream().map(ServiceLoader.Provider::get).toList();
    return all.stream()
        .filter(provider -> provider.accepts(url))
        .findFirst()
        .orElseThrow(() -> new StoreException(StoreException.Kind.INVALID, unknown(url, all)))
        .open(url);
  }

  private static String unknown(String url, List<StoreProvider> all) {
    String known =
        all.isEmpty()
            ? "no store is on the class path: add dev.berth:berth-postgres"
            : "use " + String.join(" or ", all.stream().map(StoreProvider::example).toList());
    return "No store accepts the URL \"" + withoutSecrets(url) + "\": " + known;
  }

  private static String withoutSecrets(String url) {
    return url.replaceAll("(?is)(password=)[^&;]*", "$1…")
        .replaceAll("(?s)^([^/@]*//)?.*@", "$1…@"); // a password may hold any other sign
  }
}
