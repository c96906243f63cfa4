package dev.berth.postgres;

import java.util.Locale;
import java.util.regex.Pattern;

/** The statements of this module: one file each, named as the constant. */
enum Statements {
  SUBMIT,
  SUBMIT_ONE,
  SUBMIT_ONE_WAKING,
  REGISTER_TYPES,
  REGISTER_LIMITS,
  REGISTER_TYPE_LIMITS,
  REGISTER_TYPE_QUOTAS,
  NAME_PACES,
  OPEN,
  EXCHANGE,
  HEARTBEAT,
  LEAVE,
  STAND_BY,
  HOLD,
  RELEASE,
  SWEEP,
  MAKE_PARTITIONS,
  PRUNE,
  CANCEL,
  RETRY,
  PAUSE,
  RESUME,
  PUT_SOME_UNDER,
  SET_LIMIT,
  RESET_LIMIT,
  PAUSE_LIMIT,
  RESUME_LIMIT,
  RECOUNT_LIMIT,
  RELEASE_SLOT,
  LAUNCH,
  PREPARE_SQL,
  ADMIT_SQL,
  MAX_WORKERS,
  RETRY_SQL,
  SET_TOPIC,
  RESET_TOPIC,
  REGISTER_TOPICS,
  TOPICS,
  PUT_SCHEDULE,
  PAUSE_SCHEDULE,
  RESUME_SCHEDULE,
  REMOVE_SCHEDULE,
  RUN_SCHEDULE,
  ADVANCE_SCHEDULE,
  DUE_SCHEDULES,
  SKIP_STEP,
  CANCEL_WORKFLOW,
  RETRY_WORKFLOW,
  NOTIFY,
  NOTIFY_WITHIN,
  FIND,
  NAMED,
  LIST,
  ATTEMPTS,
  QUEUES,
  SESSIONS,
  LIMITS,
  QUOTAS,
  SCHEDULES,
  WORKFLOW,
  WORKFLOWS,
  STEPS,
  STEP,
  EXPLAIN,
  AUDIT,
  DRIFT,
  UNREADABLE,
  FAIL_UNREADABLE;

  final String sql;

  Statements() {
    String file = "statements/" + name().toLowerCase(Locale.ROOT) + ".sql";
    sql = Pattern.compile("(?m)^\\s*--.*$").matcher(Resources.read(file)).replaceAll("").strip();
  }
}
