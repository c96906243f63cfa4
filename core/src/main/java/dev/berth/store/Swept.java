package dev.berth.store;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What a sweep did.
 *
 * @param promoted tasks whose due time came
 * @param sessionsExpired sessions found dead
 * @param tasksReturned tasks of theirs that may run again
 * @param nextDue how long until the next task is due, if any waits
 */
public record Swept(
    int promoted, int sessionsExpired, int tasksReturned, @Nullable Duration nextDue) {}
