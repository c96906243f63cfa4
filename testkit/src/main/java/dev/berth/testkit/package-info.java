/** The contract every store passes, and help for testing tasks. */
@NullMarked
package dev.berth.testkit;

import org.jspecify.annotations.NullMarked;
