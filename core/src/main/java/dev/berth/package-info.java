/** What a user calls first. */
@NullMarked
package dev.berth;

import org.jspecify.annotations.NullMarked;
