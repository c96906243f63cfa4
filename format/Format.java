import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.spi.ToolProvider;
import java.util.stream.Stream;

/**
 * Runs google-java-format over every Java file of a project: {@code Format --check|--write ROOT}.
 */
final class Format {
  private Format() {}

  public static void main(String[] arguments) throws IOException {
    boolean write = arguments[0].equals("--write");
    Stream<String> options =
        write ? Stream.of("--replace") : Stream.of("--dry-run", "--set-exit-if-changed");
    Stream<String> files =
        javaFiles(Path.of(arguments[1]).normalize()).stream().map(Path::toString);
    int exit =
        ToolProvider.findFirst("google-java-format")
            .orElseThrow()
            .run(System.out, System.err, Stream.concat(options, files).toArray(String[]::new));
    if (exit != 0 && !write) {
      System.err.println("The files above are not formatted or do not parse. bin/format formats.");
    }
    System.exit(exit);
  }

  private static List<Path> javaFiles(Path root) throws IOException {
    var files = new ArrayList<Path>();
    Files.walkFileTree(
        root,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult preVisitDirectory(Path directory, BasicFileAttributes attributes) {
            String name = directory.getFileName().toString();
            boolean skipped =
                !directory.equals(root) && (name.equals("target") || name.startsWith("."));
            return skipped ? FileVisitResult.SKIP_SUBTREE : FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
            if (file.toString().endsWith(".java")) {
              files.add(file);
            }
            return FileVisitResult.CONTINUE;
          }
        });
    return files;
  }
}
