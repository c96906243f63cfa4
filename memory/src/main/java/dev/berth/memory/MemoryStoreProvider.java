package dev.berth.memory;

import dev.berth.store.Store;
import dev.berth.store.StoreProvider;

/** Opens an empty store for {@code memory:}. */
public final class MemoryStoreProvider implements StoreProvider {

  private static final String URL = "memory:";

  @Override
  public String example() {
    return URL;
  }

  @Override
  public boolean accepts(String url) {
    return url.equals(URL);
  }

  @Override
  public Store open(String url) {
    return MemoryStore.create();
  }
}
