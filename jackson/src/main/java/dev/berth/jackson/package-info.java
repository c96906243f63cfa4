/** Payloads and results as JSON, written and read by Jackson. */
@NullMarked
package dev.berth.jackson;

import org.jspecify.annotations.NullMarked;
