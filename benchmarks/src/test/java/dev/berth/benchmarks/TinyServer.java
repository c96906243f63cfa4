package dev.berth.benchmarks;

/** One server for all tests, which ends with their process. */
final class TinyServer {

  static final Server IT = Server.startNotDurable();

  private TinyServer() {}
}
