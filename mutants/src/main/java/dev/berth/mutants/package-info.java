/** Known bugs, and whether the tests see them. */
@NullMarked
package dev.berth.mutants;

import org.jspecify.annotations.NullMarked;
