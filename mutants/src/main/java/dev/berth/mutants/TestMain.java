package dev.berth.mutants;

import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import org.junit.platform.engine.FilterResult;
import org.junit.platform.engine.TestDescriptor;
import org.junit.platform.engine.support.descriptor.MethodSource;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.PostDiscoveryFilter;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;
import org.junit.platform.launcher.listeners.TestExecutionSummary;

/** Runs one test in a process of its own; the exit code is the verdict. */
final class TestMain {

  private TestMain() {}

  /** The full name of a class of tests, and a {@link NamedTest}. */
  public static void main(String[] arguments) {
    PrintWriter out = new PrintWriter(System.out, true, StandardCharsets.UTF_8);
    System.exit(run(arguments[0], NamedTest.parse(arguments[1]), out).exit());
  }

  static Verdict run(String type, NamedTest test, PrintWriter failures) {
    LauncherDiscoveryRequest request =
        LauncherDiscoveryRequestBuilder.request()
            .selectors(selectClass(type))
            .filters((PostDiscoveryFilter) found -> FilterResult.includedIf(isIt(found, test)))
            .build();
    SummaryGeneratingListener listener = new SummaryGeneratingListener();
    LauncherFactory.create().execute(request, listener);
    TestExecutionSummary summary = listener.getSummary();
    summary.printFailuresTo(failures);
    if (summary.getTestsFailedCount() > 0) {
      return Verdict.RED;
    }
    return summary.getTestsSucceededCount() > 0 ? Verdict.GREEN : Verdict.BROKEN;
  }

  /** A part of a contract is known by the class that declares it. */
  private static boolean isIt(TestDescriptor found, NamedTest test) {
    return found.getSource().orElse(null) instanceof MethodSource source
        && source.getMethodName().equals(test.method())
        && (test.part() == null || source.getClassName().endsWith("$" + test.part()));
  }
}
