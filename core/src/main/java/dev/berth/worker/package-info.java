/** The runtime: claims tasks, runs their handlers, hands in the outcomes. */
@NullMarked
package dev.berth.worker;

import org.jspecify.annotations.NullMarked;
