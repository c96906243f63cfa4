package dev.berth.postgres;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What a SQL task came to.
 *
 * @param rows how many rows it returned or changed
 * @param result the first rows that it returned: at most {@value #MOST_ROWS} and about 16,000
 *     characters; null where it returns none
 */
public record SqlResult(long rows, @Nullable List<@Nullable Map<String, @Nullable Object>> result) {

  public static final int MOST_ROWS = 100;
}
