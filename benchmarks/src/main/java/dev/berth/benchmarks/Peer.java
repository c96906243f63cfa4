package dev.berth.benchmarks;

/**
 * A task queue that is measured beside Berth, with the settings that suit it best. Those of others
 * are services of this type, in a module that is not shipped.
 */
public interface Peer {

  /** As its makers write it. */
  String name();

  /** Its version and the settings it is measured with. */
  String settings();

  /** Tasks per second that it runs on two cores, about: so it is given work for some seconds. */
  int aboutPerSecond();

  /** Whether what its own process submits starts without waiting for a poll. */
  boolean startsAtOnce();

  /** Makes its tables in an empty database. */
  Queue open(String url) throws Exception;

  /** A queue in a database of its own, and one worker process for it. */
  interface Queue extends AutoCloseable {

    /** Submits so many tasks that do nothing; they are durable when it returns. */
    void submit(int tasks) throws Exception;

    /**
     * Starts the worker.
     *
     * @param handler what each task runs, on many threads
     */
    void start(Runnable handler) throws Exception;

    /** SQL that counts the tasks whose end is not durable yet. */
    String left();

    @Override
    void close() throws Exception;
  }
}
