/** What a task is: its type, its id, its states, how it ends and when it is tried again. */
@NullMarked
package dev.berth.task;

import org.jspecify.annotations.NullMarked;
