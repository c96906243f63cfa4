/** Other task queues, each with the settings that suit it best, to be measured beside Berth. */
@NullMarked
package dev.berth.peers;

import org.jspecify.annotations.NullMarked;
