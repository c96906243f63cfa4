/**
 * Scenarios that measure Berth. A {@link dev.berth.benchmarks.Scenario} compares variants in
 * interleaved rounds on one server and tells the medians in a {@link dev.berth.benchmarks.Report}.
 */
@NullMarked
package dev.berth.benchmarks;

import org.jspecify.annotations.NullMarked;
