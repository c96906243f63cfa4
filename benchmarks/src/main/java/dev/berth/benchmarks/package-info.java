/** Scenarios that measure Berth. */
@NullMarked
package dev.berth.benchmarks;

import org.jspecify.annotations.NullMarked;
