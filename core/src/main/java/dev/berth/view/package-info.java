/**
 * What a person reads of a store: tasks, limits, queues and why something waits. It needs no seam.
 */
@NullMarked
package dev.berth.view;

import org.jspecify.annotations.NullMarked;
