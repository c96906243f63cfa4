/** The rules of limits: pure, no clock, no I/O. */
@NullMarked
package dev.berth.limit;

import org.jspecify.annotations.NullMarked;
