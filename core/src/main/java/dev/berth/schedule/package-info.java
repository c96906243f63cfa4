/** When something is to happen again and again: pure rules, no store and no clock. */
@NullMarked
package dev.berth.schedule;

import org.jspecify.annotations.NullMarked;
