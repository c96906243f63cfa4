/** A real PostgreSQL server on this machine for tests, demos and benchmarks. */
@NullMarked
package dev.berth.embedded;

import org.jspecify.annotations.NullMarked;
