package dev.berth.mutants;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * One test, as in {@code memory MemoryStoreTest$LimitRaces#aLimitSetTo0StopsAllClaimers}.
 *
 * @param part the nested class of a contract, or null
 */
record NamedTest(String module, String type, @Nullable String part, String method) {

  private static final Pattern NAME = Pattern.compile("([\\w-]+) (\\w+)(?:\\$(\\w+))?#(\\w+)");

  static NamedTest parse(String name) {
    Matcher matcher = NAME.matcher(name);
    if (!matcher.matches()) {
      throw new IllegalArgumentException("Not MODULE TestClass#method: " + name);
    }
    return new NamedTest(matcher.group(1), matcher.group(2), matcher.group(3), matcher.group(4));
  }

  @Override
  public String toString() {
    return module + " " + type + (part == null ? "" : "$" + part) + "#" + method;
  }
}
