package dev.berth.postgres;

/**
 * How a {@link PostgresStore} behaves. Immutable: each method returns a changed copy.
 *
 * @param migrate whether to bring the schema up to date at start
 * @param wakeUps whether to use LISTEN and NOTIFY; off behind PgBouncer in transaction mode
 */
public record PostgresOptions(boolean migrate, boolean wakeUps) {

  public static final PostgresOptions DEFAULT = new PostgresOptions(true, true);

  /** Leaves the schema to others: a schema that does not fit is then an error at start. */
  public PostgresOptions withoutMigration() {
    return new PostgresOptions(false, wakeUps);
  }

  /** Polls instead of listening. */
  public PostgresOptions withoutWakeUps() {
    return new PostgresOptions(migrate, false);
  }
}
