package dev.berth.testkit;

/**
 * What every store promises, as tests. A store proves itself with one class:
 *
 * <pre>{@code
 * class MemoryStoreTest extends StoreContract {
 *   @Override
 *   protected StoreFixture open() {
 *     return …;
 *   }
 * }
 * }</pre>
 *
 * <p>Each test opens a fixture of its own and closes it, so that tests may run in parallel wherever
 * fixtures do not share state. No test sleeps: time passes by {@link StoreFixture#advance}.
 */
public abstract class StoreContract {

  /** A fresh, empty store; called once for each test. */
  protected abstract StoreFixture open() throws Exception;
}
