/** The store on PostgreSQL. */
@NullMarked
package dev.berth.postgres;

import org.jspecify.annotations.NullMarked;
