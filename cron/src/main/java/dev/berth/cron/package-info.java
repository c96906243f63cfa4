/** Unix cron expressions, with cron-utils. */
@NullMarked
package dev.berth.cron;

import org.jspecify.annotations.NullMarked;
