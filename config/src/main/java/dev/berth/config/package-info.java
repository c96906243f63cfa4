/** Settings read from {@code berth.toml}. */
@NullMarked
package dev.berth.config;

import org.jspecify.annotations.NullMarked;
