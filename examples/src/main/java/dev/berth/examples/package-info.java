/** One small runnable main per feature. */
@NullMarked
package dev.berth.examples;

import org.jspecify.annotations.NullMarked;
