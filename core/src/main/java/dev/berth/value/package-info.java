/** Rules for plain values: text and times that every store can keep. */
@NullMarked
package dev.berth.value;

import org.jspecify.annotations.NullMarked;
