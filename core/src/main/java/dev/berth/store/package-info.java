/**
 * The seam between Berth and where its state lives: few verbs, batches first, blocking. Everything
 * that is convenience is above it.
 */
@NullMarked
package dev.berth.store;

import org.jspecify.annotations.NullMarked;
