/**
 * Draws what was measured as one SVG that needs nothing else: bars against their targets, and
 * curves. It follows the reader's choice of a light or a dark screen.
 */
@NullMarked
package dev.berth.benchmarks.plot;

import org.jspecify.annotations.NullMarked;
