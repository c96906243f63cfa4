package dev.berth.postgres;

import java.nio.ByteBuffer;
import java.sql.Array;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.postgresql.core.BaseConnection;
import org.postgresql.core.Oid;
import org.postgresql.jdbc.PgArray;
import org.postgresql.jdbc.PreferQueryMode;

/** Lists as SQL arrays and back. */
final class Arrays {

  private static final int UUID_BYTES = 16;

  private Arrays() {}

  static <T> Array of(
      Connection connection, String type, Collection<T> items, Function<T, @Nullable Object> value)
      throws SQLException {
    Object[] values = room(type, items.size());
    int next = 0;
    for (T item : items) {
      values[next++] = value.apply(item);
    }
    return connection.createArrayOf(type, values);
  }

  /** The driver sends arrays of these classes as binary, any other as text with quotes. */
  private static @Nullable Object[] room(String type, int size) {
    return switch (type) {
      case "text" -> new String[size];
      case "int8" -> new Long[size];
      case "int4" -> new Integer[size];
      case "int2" -> new Short[size];
      default -> new Object[size];
    };
  }

  /** The driver would send them as text, which both sides spend more time on than on anything. */
  static <T> Array uuids(Connection connection, Collection<T> items, Function<T, UUID> value)
      throws SQLException {
    BaseConnection driver = connection.unwrap(BaseConnection.class);
    if (driver.getPreferQueryMode() == PreferQueryMode.SIMPLE || items.isEmpty()) {
      return of(connection, "uuid", items, value::apply);
    }
    ByteBuffer bytes =
        ByteBuffer.allocate(5 * Integer.BYTES + items.size() * (Integer.BYTES + UUID_BYTES));
    bytes.putInt(1).putInt(0).putInt(Oid.UUID); // dimensions, no nulls, what is in it
    bytes.putInt(items.size()).putInt(1); // how many, and the number of the first
    for (T item : items) {
      UUID id = value.apply(item);
      bytes.putInt(UUID_BYTES);
      bytes.putLong(id.getMostSignificantBits()).putLong(id.getLeastSignificantBits());
    }
    return new PgArray(driver, Oid.UUID_ARRAY, bytes.array());
  }

  static Array texts(Connection connection, Collection<String> texts) throws SQLException {
    return connection.createArrayOf("text", texts.toArray(String[]::new));
  }

  static List<String> texts(ResultSet row, String column) throws SQLException {
    Array array = row.getArray(column);
    return array == null ? List.of() : List.of((String[]) array.getArray());
  }

  /** An array literal of key, value, key, value; null where there are none. */
  static @Nullable String pairs(Connection connection, Map<String, String> map) {
    return literal(
        connection,
        map.entrySet().stream()
            .flatMap(entry -> Stream.of(entry.getKey(), entry.getValue()))
            .toList());
  }

  /** An array literal; null where there is nothing to put into it. */
  static @Nullable String literal(Connection connection, List<String> texts) {
    if (texts.isEmpty()) {
      return null;
    }
    try {
      return connection.createArrayOf("text", texts.toArray()).toString();
    } catch (SQLException e) {
      throw Failures.of("write an array", e);
    }
  }

  static Map<String, String> pairs(ResultSet row, String column) throws SQLException {
    Array array = row.getArray(column);
    if (array == null) {
      return Map.of();
    }
    String[] pairs = (String[]) array.getArray();
    Map<String, String> map = new LinkedHashMap<>();
    for (int i = 0; i + 1 < pairs.length; i += 2) {
      map.put(pairs[i], pairs[i + 1] == null ? "" : pairs[i + 1]);
    }
    return map;
  }
}
