package dev.berth.testkit;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import org.junit.jupiter.api.Nested;

/**
 * What every store promises, as tests. A store proves itself with one class:
 *
 * <pre>{@code
 * class MemoryStoreTest extends StoreContract {
 *   @Override
 *   protected StoreFixture open() {
 *     return …;
 *   }
 * }
 * }</pre>
 *
 * <p>Each test opens a fixture of its own and closes it, so that tests may run in parallel wherever
 * fixtures do not share state. No test sleeps: time passes by {@link StoreFixture#advance}.
 */
public abstract class StoreContract {

  /** A fresh, empty store; called once for each test. */
  protected abstract StoreFixture open() throws Exception;

  /**
   * Whether the store is set up to send wake-ups; the tests of them are skipped where it is not.
   */
  protected boolean wakesUp() {
    return true;
  }

  /** Whether the store lets tasks stand by; one that does not asks more patience of its slots. */
  protected boolean standsBy() {
    return true;
  }

  @Nested
  class Ids extends IdContract {
    @Override
    StoreFixture open() throws Exception {
      return StoreContract.this.open();
    }
  }

  @Nested
  class Submitting extends SubmitContract {
    @Override
    StoreFixture open() throws Exception {
      return StoreContract.this.open();
    }
  }

  @Nested
  class Claiming extends ClaimContract {
    @Override
    StoreFixture open() throws Exception {
      return StoreContract.this.open();
    }
  }

  @Nested
  class Sizes extends SizeContract {
    @Override
    StoreFixture open() throws Exception {
      return StoreContract.this.open();
    }
  }

  @Nested
  class Outcomes extends OutcomeContract {
    @Override
    StoreFixture open() throws Exception {
      return StoreContract.this.open();
    }
  }

  @Nested
  class Repeats extends RepeatContract {
    @Override
    StoreFixture open() throws Exception {
      return StoreContract.this.open();
    }
  }

  @Nested
  class Sessions extends SessionContract {
    @Override
    StoreFixture open() throws Exception {
      return StoreContract.this.open();
    }
  }

  @Nested
  class DueTimes extends DueContract {
    @Override
    StoreFixture open() throws Exception {
      return StoreContract.this.open();
    }
  }

  @Nested
  class Values extends ValueContract {
    @Override
    StoreFixture open() throws Exception {
      return StoreContract.this.open();
    }
  }

  @Nested
  class Commands extends CommandContract {
    @Override
    StoreFixture open() throws Exception {
      return StoreContract.this.open();
    }
  }

  @Nested
  class Reading extends ReaderContract {
    @Override
    StoreFixture open() throws Exception {
      return StoreContract.this.open();
    }
  }

  @Nested
  class History extends HistoryContract {
    @Override
    StoreFixture open() throws Exception {
      return StoreContract.this.open();
    }
  }

  @Nested
  class WakeUps extends WakeUpContract {
    @Override
    StoreFixture open() throws Exception {
      assumeTrue(wakesUp(), "this store is set up without wake-ups");
      return StoreContract.this.open();
    }
  }

  @Nested
  class Limits extends LimitContract {
    @Override
    StoreFixture open() throws Exception {
      return StoreContract.this.open();
    }
  }

  @Nested
  class LimitNumbers extends LimitNumberContract {
    @Override
    StoreFixture open() throws Exception {
      return StoreContract.this.open();
    }
  }

  @Nested
  class LimitReturns extends LimitReturnContract {
    @Override
    StoreFixture open() throws Exception {
      return StoreContract.this.open();
    }
  }

  @Nested
  class Standbys extends StandbyContract {
    @Override
    StoreFixture open() throws Exception {
      assumeTrue(standsBy(), "this store lets no tasks stand by");
      return StoreContract.this.open();
    }
  }

  @Nested
  class LimitOrder extends LimitOrderContract {
    @Override
    StoreFixture open() throws Exception {
      return StoreContract.this.open();
    }
  }

  @Nested
  class HeavyTasks extends HeavyContract {
    @Override
    StoreFixture open() throws Exception {
      return StoreContract.this.open();
    }
  }

  @Nested
  class LimitRaces extends LimitRaceContract {
    @Override
    StoreFixture open() throws Exception {
      return StoreContract.this.open();
    }
  }

  @Nested
  class Paces extends PaceContract {
    @Override
    StoreFixture open() throws Exception {
      return StoreContract.this.open();
    }
  }

  @Nested
  class TypeLimits extends TypeLimitContract {
    @Override
    StoreFixture open() throws Exception {
      return StoreContract.this.open();
    }
  }

  @Nested
  class ReleasedSlots extends ReleaseSlotContract {
    @Override
    StoreFixture open() throws Exception {
      return StoreContract.this.open();
    }
  }

  @Nested
  class ForgottenLimits extends ForgottenLimitContract {
    @Override
    StoreFixture open() throws Exception {
      return StoreContract.this.open();
    }
  }

  @Nested
  class Registrations extends RegistrationContract {
    @Override
    StoreFixture open() throws Exception {
      return StoreContract.this.open();
    }
  }

  @Nested
  class Holds extends HoldContract {
    @Override
    StoreFixture open() throws Exception {
      return StoreContract.this.open();
    }
  }

  @Nested
  class Quotas extends QuotaContract {
    @Override
    StoreFixture open() throws Exception {
      return StoreContract.this.open();
    }
  }

  @Nested
  class Explaining extends ExplainContract {
    @Override
    StoreFixture open() throws Exception {
      return StoreContract.this.open();
    }
  }

  @Nested
  class QuotaEnds extends QuotaEndContract {
    @Override
    StoreFixture open() throws Exception {
      return StoreContract.this.open();
    }
  }

  @Nested
  class QuotaRaces extends QuotaRaceContract {
    @Override
    StoreFixture open() throws Exception {
      return StoreContract.this.open();
    }
  }

  @Nested
  class Audits extends AuditContract {
    @Override
    StoreFixture open() throws Exception {
      return StoreContract.this.open();
    }
  }

  @Nested
  class Schedules extends ScheduleContract {
    @Override
    StoreFixture open() throws Exception {
      return StoreContract.this.open();
    }
  }

  @Nested
  class Workflows extends WorkflowContract {
    @Override
    StoreFixture open() throws Exception {
      return StoreContract.this.open();
    }
  }

  @Nested
  class ScheduleRaces extends ScheduleRaceContract {
    @Override
    StoreFixture open() throws Exception {
      return StoreContract.this.open();
    }
  }

  @Nested
  class WorkflowLimits extends WorkflowLimitContract {
    @Override
    StoreFixture open() throws Exception {
      return StoreContract.this.open();
    }
  }

  @Nested
  class WorkflowFailures extends WorkflowFailureContract {
    @Override
    StoreFixture open() throws Exception {
      return StoreContract.this.open();
    }
  }

  @Nested
  class WorkflowCommands extends WorkflowCommandContract {
    @Override
    StoreFixture open() throws Exception {
      return StoreContract.this.open();
    }
  }

  @Nested
  class WorkflowReading extends WorkflowReadContract {
    @Override
    StoreFixture open() throws Exception {
      return StoreContract.this.open();
    }
  }

  @Nested
  class WorkflowRaces extends WorkflowRaceContract {
    @Override
    StoreFixture open() throws Exception {
      return StoreContract.this.open();
    }
  }

  @Nested
  class RandomRuns extends RandomContract {
    @Override
    StoreFixture open() throws Exception {
      return StoreContract.this.open();
    }
  }

  @Nested
  class FrontDoors extends FrontDoorContract {
    @Override
    StoreFixture open() throws Exception {
      return StoreContract.this.open();
    }
  }
}
