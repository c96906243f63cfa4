/** The store in memory: the reference model, also for tests and demos. */
@NullMarked
package dev.berth.memory;

import org.jspecify.annotations.NullMarked;
