package dev.berth.postgres;

import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Leaves out the parts of the contract in which many race. They are a matter of the database, which
 * is the same behind PgBouncer, and take longer than all the others together.
 */
final class WithoutRaces implements ExecutionCondition {

  @Override
  public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
    return context.getTags().contains("race")
        ? ConditionEvaluationResult.disabled("races run on a direct connection")
        : ConditionEvaluationResult.enabled("no race");
  }
}
