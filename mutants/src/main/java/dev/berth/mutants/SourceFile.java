package dev.berth.mutants;

import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A file of the product.
 *
 * @param kind java or resources
 * @param path below the folder of its kind
 */
record SourceFile(String module, String kind, String path) {

  private static final Pattern PATH = Pattern.compile("([\\w-]+)/src/main/(java|resources)/(.+)");

  static SourceFile parse(String path) {
    Matcher matcher = PATH.matcher(path);
    if (!matcher.matches()) {
      throw new IllegalArgumentException("Not MODULE/src/main/(java|resources)/…: " + path);
    }
    return new SourceFile(matcher.group(1), matcher.group(2), matcher.group(3));
  }

  boolean compiled() {
    return kind.equals("java");
  }

  Path in(Path project) {
    return project.resolve(toString());
  }

  @Override
  public String toString() {
    return module + "/src/main/" + kind + "/" + path;
  }
}
