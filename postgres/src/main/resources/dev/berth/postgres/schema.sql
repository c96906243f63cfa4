-- The schemas berth and berth_private as migrations leave them, for readers and reviewers. Nothing runs this file: SchemaDumpTest
-- compares it with a migrated database, and writes it anew when run with -Dberth.update-schema.

create type berth_private.on_failure as enum ('halt', 'continue', 'cancel_rest', 'skip');
create type berth_private.outcome as enum ('finished', 'failed', 'cancelled', 'retry', 'released', 'crashed');
create type berth_private.task_state as enum ('held', 'waiting', 'ready', 'running');

create sequence berth_private.schedule_version as bigint;
create sequence berth_private.step_number as bigint;
create sequence berth_private.token as bigint;

create table berth_private.clock (
  only_row boolean not null default true,
  shift interval not null default '00:00:00'::interval,
  constraint clock_pkey PRIMARY KEY (only_row),
  constraint clock_one_row CHECK (only_row)
);

create table berth_private.exchange_log (
  session_id bigint not null,
  apart boolean not null,
  number bigint not null,
  first_token bigint not null,
  at timestamp with time zone not null,
  stale bigint[],
  aside bigint[],
  constraint exchange_log_pkey PRIMARY KEY (session_id, apart, number)
);

create table berth_private.hold (
  session_id bigint not null,
  number bigint not null,
  token bigint not null,
  key text not null,
  weight integer not null,
  held berth_private.slots_held[] not null,
  taken_at timestamp with time zone not null,
  constraint hold_pkey PRIMARY KEY (session_id, number)
);

create table berth_private.limit_change (
  key text not null,
  at timestamp with time zone not null,
  slots integer,
  constraint limit_change_pkey PRIMARY KEY (key, at)
);

create table berth_private.queue (
  name text not null,
  paused boolean not null default false,
  paused_at timestamp with time zone,
  constraint queue_pkey PRIMARY KEY (name),
  constraint queue_name CHECK (((name <> ''::text) AND (length(name) <= 200)))
);

create table berth_private.quota_count (
  key text not null,
  count integer not null,
  constraint quota_count_pkey PRIMARY KEY (key),
  constraint quota_count_positive CHECK ((count >= 0))
) with (fillfactor=50);

create table berth_private.quota_return (
  key text not null,
  count integer not null,
  constraint quota_return_positive CHECK ((count > 0))
);

create table berth_private.quota_task (
  task_id uuid not null,
  key text not null,
  submitted_at timestamp with time zone not null,
  constraint quota_task_pkey PRIMARY KEY (task_id, key)
);

create table berth_private.role_grant (
  role regrole not null,
  what text not null,
  types text[],
  queues text[],
  constraint role_grant_pkey PRIMARY KEY (role, what),
  constraint role_grant_what CHECK ((what = ANY (ARRAY['submit'::text, 'work'::text, 'read'::text, 'launch'::text])))
);

create table berth_private.schedule (
  name text not null,
  version bigint not null default nextval('berth_private.schedule_version'::regclass),
  cron text,
  zone text,
  every bigint,
  missed text not null,
  overlap text not null,
  anchor timestamp with time zone not null,
  since timestamp with time zone not null,
  next_at timestamp with time zone,
  paused boolean not null default false,
  last_at timestamp with time zone,
  last_task uuid,
  submitted bigint not null default 0,
  skipped bigint not null default 0,
  error text,
  type text not null,
  queue text not null,
  priority smallint not null,
  payload text not null,
  metadata jsonb,
  lane text not null,
  limits text[] not null,
  weights integer[] not null,
  said_slots integer[] not null,
  quotas text[] not null,
  quota_mosts integer[] not null,
  when_full text[] not null,
  constraint schedule_pkey PRIMARY KEY (name),
  constraint schedule_bytes CHECK ((((octet_length(queue) + octet_length(type)) + octet_length(lane)) <= 2600)),
  constraint schedule_every CHECK (((every >= 100) AND (every <= '3153600000000'::bigint))),
  constraint schedule_limits CHECK (((cardinality(limits) > 0) AND (cardinality(weights) = cardinality(limits)) AND (cardinality(said_slots) = cardinality(limits)) AND (1 <= ALL (weights)) AND (1000000 >= ALL (weights)) AND (0 <= ALL (said_slots)) AND (1000000 >= ALL (said_slots)) AND (((num_nulls(VARIADIC weights) + num_nulls(VARIADIC said_slots)) + num_nulls(VARIADIC limits)) = 0))),
  constraint schedule_metadata CHECK ((jsonb_typeof(metadata) = 'object'::text)),
  constraint schedule_missed CHECK ((missed = ANY (ARRAY['once'::text, 'all'::text, 'none'::text]))),
  constraint schedule_names CHECK (((name <> ''::text) AND (type <> ''::text) AND (queue <> ''::text) AND (length(name) <= 200) AND (length(type) <= 200) AND (length(queue) <= 200))),
  constraint schedule_next CHECK (((next_at < 'infinity'::timestamp with time zone) AND isfinite(anchor) AND isfinite(since) AND isfinite(last_at))),
  constraint schedule_overlap CHECK ((overlap = ANY (ARRAY['skip'::text, 'queue'::text, 'cancel_older'::text]))),
  constraint schedule_priority CHECK (((priority >= 0) AND (priority <= 9))),
  constraint schedule_quotas CHECK (((cardinality(quota_mosts) = cardinality(quotas)) AND (cardinality(when_full) = cardinality(quotas)) AND ((num_nulls(VARIADIC quotas) + num_nulls(VARIADIC quota_mosts)) = 0) AND (when_full <@ ARRAY['refuse'::text, 'existing'::text, 'cancel'::text, 'replace'::text]))),
  constraint schedule_times CHECK ((((cron IS NULL) <> (every IS NULL)) AND ((cron IS NULL) = (zone IS NULL))))
);

create table berth_private.schema_version (
  number integer not null,
  name text not null,
  checksum text not null,
  applied_at timestamp with time zone not null default clock_timestamp(),
  constraint schema_version_pkey PRIMARY KEY (number)
);

create table berth_private.session (
  id bigint not null generated always as identity,
  proof uuid not null default gen_random_uuid(),
  opened_at timestamp with time zone not null,
  expires_at timestamp with time zone not null,
  lease interval not null,
  free integer not null,
  max integer not null,
  memory real,
  worker text not null,
  host text,
  types text[] not null,
  queues text[] not null,
  constraint session_pkey PRIMARY KEY (id),
  constraint session_names CHECK (((array_position(types, NULL::text) IS NULL) AND (array_position(queues, NULL::text) IS NULL))),
  constraint session_times CHECK (((expires_at > '-infinity'::timestamp with time zone) AND (expires_at < 'infinity'::timestamp with time zone) AND (lease > '00:00:00'::interval) AND (lease <= '365000 days'::interval)))
) with (fillfactor=50);

create table berth_private.size_cap (
  only_row boolean not null default true,
  bytes integer not null default 1048576,
  constraint size_cap_pkey PRIMARY KEY (only_row),
  constraint size_cap_bytes CHECK (((bytes >= 1000) AND (bytes <= 100000000))),
  constraint size_cap_one_row CHECK (only_row)
);

create table berth_private.slot_group (
  key text not null,
  number integer not null,
  capacity integer not null,
  used integer not null,
  constraint slot_group_pkey PRIMARY KEY (key, number),
  constraint slot_group_used CHECK ((used >= 0))
) with (fillfactor=50);

create table berth_private.slot_waiter (
  key text not null,
  session_id bigint not null,
  seen_at timestamp with time zone not null,
  served_at timestamp with time zone not null default '-infinity'::timestamp with time zone,
  constraint slot_waiter_pkey PRIMARY KEY (key, session_id)
) with (fillfactor=50);

create table berth_private.sql_door (
  only_row boolean not null default true,
  timeout interval not null default '01:00:00'::interval,
  constraint sql_door_pkey PRIMARY KEY (only_row),
  constraint sql_door_one_row CHECK (only_row)
);

create table berth_private.sql_task (
  task_id uuid not null,
  launcher regrole not null,
  statement text not null,
  topics text[] not null,
  in_transaction boolean not null,
  timeout interval not null,
  search_path text not null,
  constraint sql_task_pkey PRIMARY KEY (task_id)
);

create table berth_private.sql_ticket (
  pid integer not null,
  task_id uuid not null,
  token bigint not null,
  proof uuid not null,
  constraint sql_ticket_pkey PRIMARY KEY (pid)
);

create table berth_private.task (
  id uuid not null,
  position berth_private.moment not null,
  due_at berth_private.moment not null,
  submitted_at berth_private.moment not null,
  started_at timestamp with time zone,
  session_id bigint,
  token bigint,
  state berth_private.task_state not null,
  attempt integer not null default 0,
  failures integer not null default 0,
  crashes integer not null default 0,
  priority berth_private.level not null default 5,
  cancel_requested boolean not null default false,
  standby boolean not null default false,
  type text not null,
  queue text not null,
  payload text not null,
  metadata berth_private.text_pairs,
  last_error text,
  progress text,
  lane berth_private.lane_name,
  limits berth_private.key_list,
  weights berth_private.weight_list,
  said_slots berth_private.slots_list,
  held berth_private.slots_held[],
  held_since timestamp with time zone,
  quotas berth_private.key_list,
  quota_mosts integer[],
  workflow text,
  step text,
  step_number bigint,
  on_failure berth_private.on_failure,
  name text,
  constraint task_pkey PRIMARY KEY (id)
) with (autovacuum_vacuum_scale_factor=0.02, autovacuum_vacuum_threshold=5000, autovacuum_analyze_scale_factor=0.05, autovacuum_analyze_threshold=5000);

create table berth_private.task_history (
  task_id uuid not null,
  submitted_at timestamp with time zone not null,
  due_at timestamp with time zone not null,
  started_at timestamp with time zone,
  ended_at timestamp with time zone not null,
  session_id bigint,
  token bigint,
  keep_until date not null,
  outcome berth_private.outcome not null,
  attempt integer not null,
  failures integer not null,
  crashes integer not null,
  priority smallint not null,
  final boolean not null,
  type text not null,
  queue text not null,
  worker text,
  error text,
  result text,
  payload text,
  metadata jsonb,
  lane text,
  limits text[],
  weights integer[],
  said_slots integer[],
  quotas text[],
  quota_mosts integer[],
  workflow text,
  step text,
  name text
) partition by RANGE (keep_until);

create table berth_private.task_limit (
  key text not null,
  slots integer,
  override_slots integer,
  override_until timestamp with time zone,
  code_slots integer,
  in_file boolean not null default false,
  submit_slots integer,
  removed boolean not null default false,
  excess integer not null default 0,
  paused boolean not null default false,
  pace interval,
  next_start_at timestamp with time zone,
  reserved_for text,
  reserved_from timestamp with time zone,
  reserved_until timestamp with time zone,
  first_group integer not null default 1,
  changed_at timestamp with time zone not null default '-infinity'::timestamp with time zone,
  idle_since timestamp with time zone,
  constraint task_limit_pkey PRIMARY KEY (key),
  constraint task_limit_numbers CHECK ((((slots >= 0) AND (slots <= 1000000)) AND ((override_slots >= 0) AND (override_slots <= 1000000)) AND ((code_slots >= 0) AND (code_slots <= 1000000)) AND ((submit_slots >= 0) AND (submit_slots <= 1000000)))),
  constraint task_limit_times CHECK (((override_until > '-infinity'::timestamp with time zone) AND (override_until < 'infinity'::timestamp with time zone) AND (pace >= '00:00:00'::interval) AND (pace <= '365000 days'::interval) AND (next_start_at < 'infinity'::timestamp with time zone)))
);

create table berth_private.task_type (
  name text not null,
  finished_days integer not null default 7,
  failed_days integer not null default 30,
  max_crashes integer not null default 5,
  registered_at timestamp with time zone not null,
  constraint task_type_pkey PRIMARY KEY (name),
  constraint task_type_days CHECK ((((finished_days >= 0) AND (finished_days <= 3650)) AND ((failed_days >= 0) AND (failed_days <= 3650)))),
  constraint task_type_name CHECK (((name <> ''::text) AND (length(name) <= 200)))
);

create table berth_private.topic (
  name text not null,
  max_parallel integer,
  retry_count integer,
  pace interval,
  file_max_parallel integer,
  file_retry_count integer,
  file_pace interval,
  constraint topic_pkey PRIMARY KEY (name),
  constraint topic_numbers CHECK (((length(name) <= 200) AND ((max_parallel >= 0) AND (max_parallel <= 1000000)) AND ((file_max_parallel >= 0) AND (file_max_parallel <= 1000000)) AND ((retry_count >= 0) AND (retry_count <= 1000)) AND ((file_retry_count >= 0) AND (file_retry_count <= 1000)) AND ((pace >= '00:00:00'::interval) AND (pace <= '1 day'::interval)) AND ((file_pace >= '00:00:00'::interval) AND (file_pace <= '1 day'::interval))))
);

create table berth_private.type_limit (
  type text not null,
  key text not null,
  weight integer not null,
  slots integer not null,
  constraint type_limit_pkey PRIMARY KEY (type, key),
  constraint type_limit_numbers CHECK ((((weight >= 1) AND (weight <= 1000000)) AND ((slots >= 0) AND (slots <= 1000000))))
);

create table berth_private.type_quota (
  type text not null,
  key text not null,
  most integer not null,
  when_full text not null,
  idle_since timestamp with time zone,
  constraint type_quota_pkey PRIMARY KEY (type, key),
  constraint type_quota_numbers CHECK ((((most >= 0) AND (most <= 1000000)) AND (when_full = ANY (ARRAY['refuse'::text, 'existing'::text, 'cancel'::text, 'replace'::text]))))
);

create table berth_private.workflow (
  name text not null,
  behind bigint,
  cancelled text,
  keep_until date,
  constraint workflow_pkey PRIMARY KEY (name)
) with (fillfactor=80);

create table berth_private.workflow_notice (
  at timestamp with time zone not null,
  workflow text not null,
  constraint workflow_notice_name CHECK ((length(workflow) <= 200))
);

create table berth_private.workflow_step (
  workflow text not null,
  step text not null,
  number bigint not null,
  task_id uuid not null,
  type text not null,
  outcome berth_private.outcome not null,
  skipped boolean not null default false,
  blocks berth_private.on_failure,
  on_failure berth_private.on_failure not null,
  ended_at timestamp with time zone not null,
  error text,
  result text,
  constraint workflow_step_pkey PRIMARY KEY (workflow, step)
);

CREATE INDEX quota_return_key ON berth_private.quota_return USING btree (key);
CREATE INDEX quota_task_age ON berth_private.quota_task USING btree (key, submitted_at, task_id);
CREATE INDEX schedule_next ON berth_private.schedule USING btree (next_at) WHERE (NOT paused);
CREATE INDEX sql_ticket_task ON berth_private.sql_ticket USING btree (task_id);
CREATE INDEX task_cancel ON berth_private.task USING btree (session_id) WHERE cancel_requested;
CREATE INDEX task_claim ON berth_private.task USING btree (queue, priority DESC, "position", id) WHERE ((state = 'ready'::berth_private.task_state) AND (lane IS NULL) AND ((priority)::smallint >= 0));
CREATE INDEX task_due ON berth_private.task USING btree (due_at, id) WHERE (state = 'waiting'::berth_private.task_state);
CREATE INDEX task_history_ended ON ONLY berth_private.task_history USING brin (ended_at);
CREATE INDEX task_history_task ON ONLY berth_private.task_history USING btree (task_id);
CREATE INDEX task_hop ON berth_private.task USING btree (queue, priority DESC, type, "position", id) WHERE ((state = 'ready'::berth_private.task_state) AND (lane IS NULL) AND ((priority)::smallint <= 9));
CREATE INDEX task_lane ON berth_private.task USING btree (queue, priority DESC, type, lane, "position", id) WHERE ((state = 'ready'::berth_private.task_state) AND (lane IS NOT NULL));
CREATE INDEX task_limit_draining ON berth_private.task_limit USING btree (key) WHERE (excess > 0);
CREATE INDEX task_limit_own ON berth_private.task_limit USING btree (key) WHERE (split_part(key, '/'::text, 4) <> ''::text);
CREATE INDEX task_session ON berth_private.task USING btree (session_id, token) WHERE (state = 'running'::berth_private.task_state);
CREATE INDEX task_step ON berth_private.task USING btree (workflow, step_number) WHERE (workflow IS NOT NULL);
CREATE INDEX task_type_unusual ON berth_private.task_type USING btree (name) WHERE ((finished_days <> 7) OR (failed_days <> 30));
CREATE INDEX workflow_kept ON berth_private.workflow USING btree (keep_until) WHERE (keep_until IS NOT NULL);
CREATE INDEX workflow_notice_at ON berth_private.workflow_notice USING btree (at);
CREATE INDEX workflow_step_blocks ON berth_private.workflow_step USING btree (workflow, number) WHERE (blocks IS NOT NULL);
CREATE INDEX workflow_step_number ON berth_private.workflow_step USING btree (workflow, number);
CREATE UNIQUE INDEX task_turn ON berth_private.task USING btree (workflow) WHERE ((workflow IS NOT NULL) AND (state <> 'held'::berth_private.task_state));

create view berth.attempts (
  task_id uuid,
  type text,
  queue text,
  priority smallint,
  outcome berth_private.outcome,
  attempt integer,
  failures integer,
  crashes integer,
  final boolean,
  session_id bigint,
  token bigint,
  worker text,
  submitted_at timestamp with time zone,
  due_at timestamp with time zone,
  started_at timestamp with time zone,
  ended_at timestamp with time zone,
  error text,
  result text
);

create view berth.launching (
  id uuid,
  statement text,
  topics text[],
  in_transaction boolean,
  timeout interval,
  search_path text,
  due_at timestamp with time zone,
  priority integer,
  queue text,
  launcher name
);

create view berth.naming_paces (
  keys text[],
  paces bigint[],
  caller name
);

create view berth.queues (
  name text,
  paused boolean,
  paused_at timestamp with time zone,
  waiting bigint,
  ready bigint,
  running bigint,
  oldest_ready timestamp with time zone
);

create view berth.schedules (
  name text,
  cron text,
  zone text,
  every interval,
  missed text,
  overlap text,
  type text,
  queue text,
  priority smallint,
  payload text,
  metadata jsonb,
  paused boolean,
  next_at timestamp with time zone,
  last_at timestamp with time zone,
  last_task uuid,
  submitted bigint,
  skipped bigint,
  error text,
  anchor timestamp with time zone
);

create view berth.sessions (
  id bigint,
  worker text,
  host text,
  opened_at timestamp with time zone,
  expires_at timestamp with time zone,
  alive boolean,
  free integer,
  max integer,
  memory real,
  types text[],
  queues text[],
  running bigint
);

create view berth.slot_drift (
  key text,
  counter text,
  number integer,
  counted bigint,
  actual bigint
);

create view berth_private.slot_holder (
  key text,
  number integer,
  count integer,
  task_id uuid,
  token bigint,
  type text,
  session_id bigint,
  since timestamp with time zone
);

create view berth.sql_tasks (
  id uuid,
  statement text,
  topics text[],
  state text,
  joined_at timestamp with time zone,
  started_at timestamp with time zone,
  closed_at timestamp with time zone,
  retry_count bigint,
  retry_delay interval,
  errors text,
  launcher text,
  in_transaction boolean,
  timeout interval,
  rows bigint,
  result jsonb
) with (security_barrier=true);

create view berth.submitting (
  type text,
  payload jsonb,
  queue text,
  priority integer,
  due_at timestamp with time zone,
  id uuid,
  metadata jsonb,
  quotas jsonb,
  limits jsonb,
  workflow text,
  step text,
  on_failure text,
  name text,
  caller name
);

create view berth.submitting_batch (
  ids uuid[],
  types text[],
  queues text[],
  priorities smallint[],
  due_ats timestamp with time zone[],
  delays bigint[],
  payloads text[],
  metadata text[],
  lanes text[],
  limits text[],
  weights text[],
  said_slots text[],
  repeat boolean,
  quotas text[],
  mosts text[],
  when_full text[],
  workflows text[],
  steps text[],
  on_failure text[],
  advance boolean,
  names text[],
  caller name,
  existing uuid[],
  position bigint,
  full_ids uuid[],
  full_keys text[],
  full_tasks uuid[],
  limited boolean
);

create view berth.submitting_one (
  id uuid,
  type text,
  queue text,
  priority smallint,
  payload text,
  metadata text[],
  lane text,
  limits text[],
  weights integer[],
  said_slots integer[],
  caller name,
  position bigint
);

create view berth.tasks (
  id uuid,
  type text,
  queue text,
  priority smallint,
  state text,
  submitted_at timestamp with time zone,
  due_at timestamp with time zone,
  started_at timestamp with time zone,
  ended_at timestamp with time zone,
  attempt integer,
  failures integer,
  crashes integer,
  session_id bigint,
  token bigint,
  worker text,
  cancel_requested boolean,
  progress text,
  error text,
  result text,
  payload text,
  metadata jsonb,
  workflow text,
  step text,
  name text
);

create view berth.ticket (
  task_id uuid,
  statement text,
  search_path text
) with (security_barrier=true);

create view berth.topics (
  name text,
  max_parallel integer,
  retry_count integer,
  delay interval,
  by_hand boolean,
  pending bigint,
  running bigint
);

create view berth.workflows (
  name text,
  state text,
  step text,
  pending bigint,
  running bigint,
  retrying bigint,
  finished bigint,
  failed bigint,
  cancelled bigint
);

create function berth.admit_sql(p_task uuid, p_token bigint, p_pid integer, p_proofs uuid[], OUT refused text, OUT call text, OUT direct boolean, OUT in_transaction boolean, OUT statement text, OUT search_path text, OUT timeout_ms bigint, OUT left_behind integer, OUT proof uuid)
  returns record security definer set lock_timeout=5s set search_path=pg_catalog, pg_temp;

create function berth.advance_schedule(p_name text, p_version bigint, p_ids uuid[], p_times timestamp with time zone[], p_catching_up boolean, p_next timestamp with time zone, p_error text)
  returns text security definer set lock_timeout=100ms set search_path=pg_catalog, pg_temp;

create function berth.allow_launch(role text, runner text DEFAULT 'berth_runner'::text)
  returns void set search_path=pg_catalog, pg_temp;

create function berth.allow_read(role text)
  returns void set search_path=pg_catalog, pg_temp;

create function berth.allow_submit(role text, types text[] DEFAULT NULL::text[], queues text[] DEFAULT NULL::text[])
  returns void set search_path=pg_catalog, pg_temp;

create function berth.allow_work(role text)
  returns void set search_path=pg_catalog, pg_temp;

create function berth.applied_migrations()
  returns TABLE(number integer, name text, checksum text) security definer set search_path=pg_catalog, pg_temp;

create function berth.audit(p_key text DEFAULT NULL::text, p_from timestamp with time zone DEFAULT '-infinity'::timestamp with time zone)
  returns TABLE(key text, peak integer, slots integer, at timestamp with time zone, over boolean, forgiven integer) security definer set jit=off set search_path=pg_catalog, pg_temp;

create function berth.cancel(p_id uuid, p_reason text DEFAULT NULL::text)
  returns text security definer set lock_timeout=10s set search_path=pg_catalog, pg_temp;

create function berth.cancel_workflow(p_workflow text, p_reason text DEFAULT NULL::text)
  returns text security definer set lock_timeout=10s set search_path=pg_catalog, pg_temp;

create function berth.drift(p_key text DEFAULT NULL::text)
  returns TABLE(key text, counter text, number integer, counted bigint, actual bigint) security definer set search_path=pg_catalog, pg_temp;

create function berth.due_schedules()
  returns TABLE(name text, version bigint, cron text, zone text, every bigint, missed text, anchor timestamp with time zone, since timestamp with time zone, next_at timestamp with time zone, now timestamp with time zone) security definer set enable_seqscan=off set enable_bitmapscan=off set jit=off set search_path=pg_catalog, pg_temp;

create function berth.exchange(p_schema integer, p_session bigint, p_proof uuid, p_number bigint, p_ids uuid[], p_tokens bigint[], p_outcomes text[], p_texts text[], p_delays bigint[], p_queues text[], p_priorities smallint[], p_floors timestamp with time zone[], p_modes text[], p_cursors text[], p_types text[], p_size integer, p_began bigint[] DEFAULT NULL::bigint[], p_passed bigint[] DEFAULT NULL::bigint[], p_heirs bigint[] DEFAULT NULL::bigint[], p_heirs_began bigint[] DEFAULT NULL::bigint[], p_standbys integer[] DEFAULT NULL::integer[], p_ahead integer[] DEFAULT NULL::integer[], p_most integer DEFAULT NULL::integer, p_apart boolean DEFAULT false, p_lines text[] DEFAULT NULL::text[], p_floors_at bigint[] DEFAULT NULL::bigint[], p_running bigint[] DEFAULT NULL::bigint[], p_careful boolean DEFAULT false, p_bytes bigint DEFAULT NULL::bigint)
  returns TABLE(kind text, id uuid, token bigint, type text, queue text, priority smallint, attempt integer, failures integer, crashes integer, submitted_at timestamp with time zone, due_at timestamp with time zone, payload text, metadata text[], "position" timestamp with time zone, foreign_types boolean, lane text) security definer set plan_cache_mode=force_generic_plan set jit=off set enable_seqscan=off set enable_hashjoin=off set enable_mergejoin=off set enable_bitmapscan=off set enable_sort=off set enable_material=off set lock_timeout=500ms set search_path=pg_catalog, pg_temp;

create function berth.explain(p_id uuid)
  returns TABLE(kind text, key text, at timestamp with time zone, slots integer, used bigint, number integer, count bigint, holder uuid, token bigint, type text, worker text, began timestamp with time zone, ends bigint, since interval) security definer set enable_seqscan=off set jit=off set search_path=pg_catalog, pg_temp;

create function berth.fail_unreadable(p_queues text[], p_types text[], p_after uuid DEFAULT NULL::uuid, OUT failed integer, OUT last uuid)
  returns record security definer set lock_timeout=500ms set search_path=pg_catalog, pg_temp;

create function berth.finish_sql(p_proof uuid, p_rows bigint, p_result jsonb)
  returns boolean security definer set search_path=pg_catalog, pg_temp set jit=off set enable_seqscan=off set enable_hashjoin=off set enable_mergejoin=off set lock_timeout=5s;

create function berth.forbid_launch(role text)
  returns void set search_path=pg_catalog, pg_temp;

create function berth.forbid_read(role text)
  returns void set search_path=pg_catalog, pg_temp;

create function berth.forbid_submit(role text)
  returns void set search_path=pg_catalog, pg_temp;

create function berth.forbid_work(role text)
  returns void set search_path=pg_catalog, pg_temp;

create function berth.heartbeat(p_schema integer, p_session bigint, p_proof uuid, p_free integer, p_max integer, p_memory real, p_ids uuid[] DEFAULT '{}'::uuid[], p_tokens bigint[] DEFAULT '{}'::bigint[], p_progress text[] DEFAULT '{}'::text[], OUT alive boolean, OUT expires_at timestamp with time zone, OUT cancel_ids uuid[], OUT cancel_tokens bigint[], OUT untold bigint[])
  returns record security definer set enable_seqscan=off set enable_hashjoin=off set enable_mergejoin=off set jit=off set lock_timeout=750ms set search_path=pg_catalog, pg_temp;

create function berth.hold_slots(p_session bigint, p_proof uuid, p_number bigint, p_key text, p_weight integer, p_slots integer, OUT verdict text, OUT token bigint)
  returns record security definer set enable_seqscan=off set jit=off set lock_timeout=2s set search_path=pg_catalog, pg_temp;

create function berth.launch(statement text, topics text[] DEFAULT '{}'::text[], transaction boolean DEFAULT true, timeout interval DEFAULT NULL::interval, due_at timestamp with time zone DEFAULT NULL::timestamp with time zone, priority integer DEFAULT 5, queue text DEFAULT 'sql'::text, id uuid DEFAULT NULL::uuid)
  returns uuid;

create function berth.leave(p_session bigint, p_proof uuid)
  returns integer security definer set lock_timeout=750ms set search_path=pg_catalog, pg_temp;

create function berth.limit_status()
  returns TABLE(limit_key text, slots integer, unlimited boolean, used bigint, waiting bigint, paused boolean, source text, key text, number integer, count bigint, task_id uuid, token bigint, type text, worker text, expires_at timestamp with time zone, since timestamp with time zone) security definer set search_path=pg_catalog, pg_temp;

create function berth.list_topics()
  returns TABLE(name text, max_parallel integer, retry_count integer, delay interval, by_hand boolean, pending bigint, running bigint) security definer set search_path=pg_catalog, pg_temp;

create function berth.list_workflows(p_most integer DEFAULT NULL::integer)
  returns TABLE(name text, state text, step text, pending bigint, running bigint, retrying bigint, finished bigint, failed bigint, cancelled bigint) security definer set search_path=pg_catalog, pg_temp;

create function berth.make_partitions(p_days_ahead integer DEFAULT 2)
  returns integer security definer set lock_timeout=1s set search_path=pg_catalog, pg_temp;

create function berth.open_session(p_schema integer, p_worker text, p_host text, p_lease interval, p_max integer, p_types text[], p_queues text[], OUT session_id bigint, OUT proof uuid, OUT expires_at timestamp with time zone, OUT size_cap integer)
  returns record security definer set lock_timeout=10s set search_path=pg_catalog, pg_temp;

create function berth.pause(p_queue text)
  returns text security definer set lock_timeout=10s set search_path=pg_catalog, pg_temp;

create function berth.pause_limit(p_key text)
  returns text security definer set lock_timeout=10s set search_path=pg_catalog, pg_temp;

create function berth.pause_schedule(p_name text)
  returns text security definer set lock_timeout=10s set search_path=pg_catalog, pg_temp;

create function berth.prepare_sql(p_task uuid, p_token bigint, p_proofs uuid[], OUT launcher text, OUT refused text, OUT free integer)
  returns record security definer set lock_timeout=5s set search_path=pg_catalog, pg_temp;

create function berth.prune(OUT dropped integer, OUT faults text[])
  returns record security definer set lock_timeout=50ms set search_path=pg_catalog, pg_temp;

create function berth.put_schedule(p_name text, p_cron text, p_zone text, p_every bigint, p_missed text, p_overlap text, p_type text, p_queue text, p_priority smallint, p_payload text, p_metadata jsonb, p_limits text[], p_weights integer[], p_said_slots integer[], p_quotas text[], p_mosts integer[], p_when_full text[])
  returns text security definer set lock_timeout=10s set search_path=pg_catalog, pg_temp;

create function berth.put_some_under(p_key text, p_slots integer, p_after uuid, p_size integer)
  returns uuid security definer set enable_seqscan=off set jit=off set lock_timeout=10s set search_path=pg_catalog, pg_temp;

create function berth.quota_status()
  returns TABLE(key text, count integer) security definer set search_path=pg_catalog, pg_temp;

create function berth.recount_limit(p_key text)
  returns text security definer set lock_timeout=10s set search_path=pg_catalog, pg_temp;

create function berth.register_limits(p_types text[], p_keys text[], p_slots integer[], p_paces bigint[], p_in_file boolean[])
  returns TABLE(key text, slots integer, before integer, by_hand integer) security definer set lock_timeout=10s set search_path=pg_catalog, pg_temp;

create function berth.register_topics(p_names text[], p_max_parallel integer[], p_retry_counts integer[], p_delays bigint[])
  returns void security definer set lock_timeout=10s set search_path=pg_catalog, pg_temp;

create function berth.register_type_limits(p_types text[], p_of text[], p_keys text[], p_weights integer[], p_slots integer[])
  returns void security definer set lock_timeout=10s set search_path=pg_catalog, pg_temp;

create function berth.register_type_quotas(p_types text[], p_of text[], p_keys text[], p_mosts integer[], p_when_full text[])
  returns void security definer set lock_timeout=10s set search_path=pg_catalog, pg_temp;

create function berth.register_types(p_names text[], p_finished_days integer[], p_failed_days integer[], p_max_crashes integer[])
  returns void security definer set lock_timeout=10s set search_path=pg_catalog, pg_temp;

create function berth.release_hold(p_session bigint, p_proof uuid, p_number bigint, OUT released boolean, OUT queues text[])
  returns record security definer set enable_seqscan=off set jit=off set lock_timeout=2s set search_path=pg_catalog, pg_temp;

create function berth.release_slot(p_key text, p_token bigint)
  returns text security definer set enable_seqscan=off set jit=off set lock_timeout=10s set search_path=pg_catalog, pg_temp;

create function berth.remove_schedule(p_name text)
  returns text security definer set lock_timeout=10s set search_path=pg_catalog, pg_temp;

create function berth.reset_limit(p_key text)
  returns text security definer set lock_timeout=10s set search_path=pg_catalog, pg_temp;

create function berth.reset_topic(topic text)
  returns text security definer set lock_timeout=10s set search_path=pg_catalog, pg_temp;

create function berth.resume(p_queue text)
  returns text security definer set lock_timeout=10s set search_path=pg_catalog, pg_temp;

create function berth.resume_limit(p_key text)
  returns text security definer set lock_timeout=10s set search_path=pg_catalog, pg_temp;

create function berth.resume_schedule(p_name text)
  returns text security definer set lock_timeout=10s set search_path=pg_catalog, pg_temp;

create function berth.retry(p_id uuid)
  returns text security definer set lock_timeout=10s set search_path=pg_catalog, pg_temp;

create function berth.retry_sql(p_task uuid, p_token bigint, p_lost boolean, p_proofs uuid[])
  returns bigint security definer set lock_timeout=5s set search_path=pg_catalog, pg_temp;

create function berth.retry_workflow(p_workflow text)
  returns text security definer set lock_timeout=10s set search_path=pg_catalog, pg_temp;

create function berth.run_schedule(p_name text, p_task uuid DEFAULT NULL::uuid)
  returns text security definer set lock_timeout=10s set search_path=pg_catalog, pg_temp;

create function berth.run_ticket(OUT rows bigint, OUT result text)
  returns record set search_path=pg_catalog, pg_temp;

create function berth.set_limit(p_key text, p_slots integer, p_for interval DEFAULT NULL::interval)
  returns text security definer set lock_timeout=10s set search_path=pg_catalog, pg_temp;

create function berth.set_schedule(name text, type text, payload jsonb DEFAULT 'null'::jsonb, cron text DEFAULT NULL::text, zone text DEFAULT 'UTC'::text, every interval DEFAULT NULL::interval, missed text DEFAULT 'once'::text, overlap text DEFAULT 'skip'::text, queue text DEFAULT 'default'::text, priority integer DEFAULT 5, metadata jsonb DEFAULT NULL::jsonb, quotas jsonb DEFAULT NULL::jsonb, limits jsonb DEFAULT NULL::jsonb)
  returns text security definer set lock_timeout=10s set search_path=pg_catalog, pg_temp;

create function berth.set_size_cap(bytes integer)
  returns void security definer set lock_timeout=10s set search_path=pg_catalog, pg_temp;

create function berth.set_sql_timeout(timeout interval)
  returns void security definer set lock_timeout=10s set search_path=pg_catalog, pg_temp;

create function berth.set_topic(topic text, max_parallel integer DEFAULT NULL::integer, retry_count integer DEFAULT NULL::integer, delay interval DEFAULT NULL::interval)
  returns void security definer set lock_timeout=10s set search_path=pg_catalog, pg_temp;

create function berth.skip_step(p_workflow text, p_step text)
  returns text security definer set lock_timeout=10s set search_path=pg_catalog, pg_temp;

create function berth.sql_result(p_stored text, OUT rows bigint, OUT result jsonb)
  returns record security definer set search_path=pg_catalog, pg_temp;

create function berth.stand_by(p_queue text, p_key text, p_since timestamp with time zone)
  returns boolean security definer set enable_seqscan=off set jit=off set search_path=pg_catalog, pg_temp;

create function berth.step_of(p_task uuid, p_step text)
  returns TABLE(step text, task_id uuid, type text, state text, skipped boolean, ended_at timestamp with time zone, result text, error text) security definer set search_path=pg_catalog, pg_temp;

create function berth.steps_of(p_workflow text, p_most integer)
  returns TABLE(step text, task_id uuid, type text, state text, skipped boolean, ended_at timestamp with time zone, result text, error text) security definer set search_path=pg_catalog, pg_temp;

create function berth.submit(type text, payload jsonb DEFAULT 'null'::jsonb, queue text DEFAULT 'default'::text, priority integer DEFAULT 5, due_at timestamp with time zone DEFAULT NULL::timestamp with time zone, id uuid DEFAULT NULL::uuid, metadata jsonb DEFAULT NULL::jsonb, quotas jsonb DEFAULT NULL::jsonb, limits jsonb DEFAULT NULL::jsonb, name text DEFAULT NULL::text)
  returns uuid set search_path=pg_catalog, pg_temp;

create function berth.submit_step(workflow text, step text, type text, payload jsonb DEFAULT 'null'::jsonb, queue text DEFAULT 'default'::text, priority integer DEFAULT 5, due_at timestamp with time zone DEFAULT NULL::timestamp with time zone, metadata jsonb DEFAULT NULL::jsonb, limits jsonb DEFAULT NULL::jsonb, on_failure text DEFAULT 'halt'::text, quotas jsonb DEFAULT NULL::jsonb)
  returns uuid set search_path=pg_catalog, pg_temp;

create function berth.sweep(p_floor timestamp with time zone DEFAULT NULL::timestamp with time zone, p_step_floor timestamp with time zone DEFAULT NULL::timestamp with time zone, OUT promoted integer, OUT floor timestamp with time zone, OUT next_due timestamp with time zone, OUT expired integer, OUT returned integer, OUT step_floor timestamp with time zone, OUT schedules boolean, OUT until_due interval, OUT today date, OUT faults text[])
  returns record security definer set lock_timeout=200ms set search_path=pg_catalog, pg_temp;

create function berth.tasks_named(name text)
  returns SETOF uuid security definer set search_path=pg_catalog, pg_temp;

create function berth.unreadable()
  returns TABLE(kind text, name text, fault text) security definer set search_path=pg_catalog, pg_temp;

create function berth.workflow_of(p_name text)
  returns TABLE(name text, state text, step text, pending bigint, running bigint, retrying bigint, finished bigint, failed bigint, cancelled bigint) security definer set search_path=pg_catalog, pg_temp;

create function berth_private.add_type_limits(p_types text[], p_limits text[], p_weights text[], p_said_slots text[], OUT lanes text[], OUT limits text[], OUT weights text[], OUT said_slots text[])
  returns record set plan_cache_mode=force_generic_plan;

create function berth_private.adopt(p_key text, p_slots integer)
  returns integer set jit=off set enable_seqscan=off;

create function berth_private.advance(p_names text[], p_afters bigint[], p_now timestamp with time zone, p_types text[] DEFAULT NULL::text[], p_outcomes berth_private.outcome[] DEFAULT NULL::berth_private.outcome[], OUT queues text[], OUT priorities smallint[], OUT due_ats timestamp with time zone[])
  returns record set enable_seqscan=off set enable_hashjoin=off set enable_mergejoin=off set jit=off;

create function berth_private.ahead(p_task berth_private.task, p_most integer)
  returns integer set enable_seqscan=off set enable_bitmapscan=off set jit=off;

create function berth_private.allow(p_role text, p_what text, p_types text[], p_queues text[])
  returns void;

create function berth_private.always_fits()
  returns integer;

create function berth_private.answer_again(p_session bigint, p_apart boolean, p_number bigint, p_verdict text, p_unread boolean)
  returns TABLE(kind text, id uuid, token bigint, type text, queue text, priority smallint, attempt integer, failures integer, crashes integer, submitted_at timestamp with time zone, due_at timestamp with time zone, payload text, metadata text[], "position" timestamp with time zone, foreign_types boolean, lane text);

create function berth_private.begin_exchange(p_session bigint, p_proof uuid, p_apart boolean, p_number bigint, p_now timestamp with time zone, OUT verdict text, OUT worker text, OUT before timestamp with time zone)
  returns record;

create function berth_private.behind(p_keys text[], p_weights integer[])
  returns text;

create function berth_private.beyond_part(p_session bigint, p_keys text[], p_held berth_private.slots_held[], p_running bigint[])
  returns TABLE(key text, count bigint);

create function berth_private.cancel_requests(p_session bigint)
  returns TABLE(kind text, id uuid, token bigint, type text, queue text, priority smallint, attempt integer, failures integer, crashes integer, submitted_at timestamp with time zone, due_at timestamp with time zone, payload text, metadata text[], "position" timestamp with time zone, foreign_types boolean, lane text);

create function berth_private.cancel_rest(p_workflow text, p_after bigint, p_reason text, p_now timestamp with time zone)
  returns boolean set enable_seqscan=off set jit=off;

create function berth_private.cancel_task(p_id uuid, p_reason text DEFAULT NULL::text)
  returns text;

create function berth_private.change_limit(p_key text)
  returns void;

create function berth_private.charge_late()
  returns void set jit=off set enable_seqscan=off set enable_hashjoin=off set enable_mergejoin=off;

create function berth_private.charge_running(p_key text, p_ids uuid[])
  returns void;

create function berth_private.check_any_key(p_what text, p_key text)
  returns void;

create function berth_private.check_batch(p_types text[], p_queues text[], p_due_ats timestamp with time zone[], p_delays bigint[], p_metadata text[], p_lanes text[], p_limits text[], p_weights text[], p_said_slots text[], p_quotas text[], p_mosts text[], p_when_full text[], p_workflows text[], p_steps text[], p_on_failure text[])
  returns void;

create function berth_private.check_days(p_type text, p_finished integer, p_failed integer)
  returns void;

create function berth_private.check_delay(p_what text, p_delay bigint)
  returns void;

create function berth_private.check_due(p_due_at timestamp with time zone)
  returns void;

create function berth_private.check_key(p_what text, p_key text)
  returns void;

create function berth_private.check_lane(p_type text, p_queue text, p_lane text, p_limits text[], p_weights integer[], p_slots integer[])
  returns void;

create function berth_private.check_lane_bytes(p_type text, p_queue text, p_lane text)
  returns void;

create function berth_private.check_launch(p_statement text, p_topics text[], p_search_path text)
  returns void;

create function berth_private.check_name(p_what text, p_name text)
  returns void;

create function berth_private.check_names(p_what text, p_names text[])
  returns void;

create function berth_private.check_pace(p_key text, p_pace bigint)
  returns void;

create function berth_private.check_pairs(p_pairs text[])
  returns void;

create function berth_private.check_positive_span(p_what text, p_span interval)
  returns void;

create function berth_private.check_quota_keys(p_type text, p_keys text[])
  returns void;

create function berth_private.check_quotas(p_keys text[], p_mosts integer[], p_when_full text[])
  returns void;

create function berth_private.check_row()
  returns trigger;

create function berth_private.check_runs_in(p_task uuid, p_token bigint, p_proofs uuid[])
  returns void;

create function berth_private.check_schema(p_schema integer)
  returns void;

create function berth_private.check_size(p_what text, p_type text, p_bytes integer)
  returns void;

create function berth_private.check_sizes(p_what text, p_types text[], p_texts text[])
  returns void;

create function berth_private.check_slots(p_key text, p_slots integer)
  returns void;

create function berth_private.check_sql_timeout(p_timeout interval)
  returns void;

create function berth_private.check_step(p_workflow text, p_step text, p_on_failure text)
  returns void;

create function berth_private.check_submit(p_type text, p_payload jsonb, p_queue text, p_priority integer, p_due_at timestamp with time zone, p_metadata jsonb)
  returns void;

create function berth_private.check_submitter(p_caller name, p_types text[], p_queues text[], p_limits text[], p_quotas text[], p_when_full text[], p_said_slots text[])
  returns void;

create function berth_private.check_topic(p_max_parallel integer, p_retry_count integer, p_delay interval)
  returns void;

create function berth_private.check_type_of_key(p_type text, p_key text)
  returns void;

create function berth_private.check_weight(p_key text, p_weight integer)
  returns void;

create function berth_private.claim_lanes(p_basket berth_private.basket, p_session bigint, p_queue text, p_priority smallint, p_types text[], p_size integer, p_left text[], p_now timestamp with time zone, p_floors berth_private.lane_floor[], p_running bigint[])
  returns berth_private.basket;

create function berth_private.claim_levels(p_basket berth_private.basket, p_session bigint, p_queue text, p_from integer, p_to integer, p_types text[], p_size integer, p_left text[], p_now timestamp with time zone, p_floors berth_private.lane_floor[], p_running bigint[])
  returns berth_private.basket;

create function berth_private.count_steps(p_workflow text, OUT pending bigint, OUT running bigint, OUT retrying bigint, OUT finished bigint, OUT failed bigint, OUT cancelled bigint)
  returns record set enable_seqscan=off set jit=off;

create function berth_private.due_back(p_session bigint, p_freed berth_private.freed[], p_heirs bigint[], p_now timestamp with time zone, p_before timestamp with time zone, p_floors berth_private.lane_floor[], p_running bigint[])
  returns bigint[];

create function berth_private.end_reservation(p_keys text[], p_for text)
  returns void;

create function berth_private.end_sessions(p_sessions bigint[], p_outcome berth_private.outcome)
  returns integer set enable_seqscan=off set jit=off;

create function berth_private.end_steps(p_ended berth_private.ended_step[], p_now timestamp with time zone, OUT queues text[], OUT priorities smallint[], OUT due_ats timestamp with time zone[])
  returns record;

create function berth_private.end_task(p_task berth_private.task, p_outcome berth_private.outcome, p_reason text)
  returns void;

create function berth_private.enter_quotas(p_ids uuid[])
  returns void set jit=off set enable_seqscan=off;

create function berth_private.entry_points()
  returns TABLE(what text, kind text, name text);

create function berth_private.expire_each(p_session bigint, OUT returned integer, OUT faults text[])
  returns record;

create function berth_private.expire_overrides()
  returns text[] set lock_timeout=200ms;

create function berth_private.expire_sessions(OUT expired integer, OUT returned integer, OUT faults text[])
  returns record set enable_seqscan=off set jit=off;

create function berth_private.fail_task(p_id uuid, p_reason text)
  returns void;

create function berth_private.fail_unreadable(p_queues text[], p_types text[], p_after uuid, OUT failed integer, OUT last uuid)
  returns record set enable_seqscan=off set enable_sort=off set jit=off;

create function berth_private.find_drift(p_key text DEFAULT NULL::text)
  returns TABLE(key text, counter text, number integer, counted bigint, actual bigint) set enable_seqscan=off set jit=off;

create function berth_private.find_unreadable()
  returns TABLE(kind text, name text, fault text);

create function berth_private.fitting(p_ctids tid[], p_bytes bigint, OUT tasks integer, OUT bytes bigint)
  returns record;

create function berth_private.forbid(p_role text, p_what text)
  returns void;

create function berth_private.forget_limits(p_size integer DEFAULT 10000)
  returns void set jit=off;

create function berth_private.forget_workflows()
  returns void set enable_seqscan=off set jit=off;

create function berth_private.free_connections()
  returns integer;

create function berth_private.full_quota(p_keys text[], p_mosts integer[])
  returns text;

create function berth_private.give(p_role oid, p_what text, p_give boolean)
  returns void;

create function berth_private.give_all()
  returns void;

create function berth_private.give_back(p_held berth_private.slots_held[])
  returns void;

create function berth_private.give_runners()
  returns void;

create function berth_private.hand_on(p_session bigint, p_freed berth_private.freed[], p_heirs bigint[], p_queues text[], p_size integer, p_now timestamp with time zone, p_before timestamp with time zone, p_floors berth_private.lane_floor[], p_running bigint[], p_scanned text[], OUT ctids tid[], OUT held berth_private.holding[], OUT standbys tid[], OUT rest berth_private.slots_held[], OUT over text[])
  returns record;

create function berth_private.has_long_name(p_key text)
  returns boolean;

create function berth_private.insertable(p_view text, p_but text)
  returns text;

create function berth_private.instead(p_key text, p_task uuid, p_keys text[], p_mosts integer[], p_when_full text[])
  returns uuid;

create function berth_private.is_full(p_key text)
  returns boolean;

create function berth_private.is_key(p_key text)
  returns boolean;

create function berth_private.is_own(p_key text)
  returns boolean;

create function berth_private.is_plain_lane(p_type text, p_lane text, p_limits text, p_weights text, p_said_slots text)
  returns boolean;

create function berth_private.is_reserved(p_keys text[], p_for text, p_now timestamp with time zone)
  returns boolean;

create function berth_private.is_rule(p_key text)
  returns boolean;

create function berth_private.is_wanted(p_line text)
  returns boolean;

create function berth_private.is_zone(p_zone text)
  returns boolean;

create function berth_private.iso_time(p_time timestamp with time zone)
  returns text;

create function berth_private.keep_days(p_type text, p_outcome berth_private.outcome)
  returns integer;

create function berth_private.keep_said(p_key text, p_said integer)
  returns void;

create function berth_private.keep_until(p_ended_at timestamp with time zone, p_days integer)
  returns date;

create function berth_private.known_steps(p_inserted uuid[], p_ids uuid[], p_workflows text[], p_steps text[])
  returns SETOF uuid;

create function berth_private.lane_entries_read()
  returns bigint;

create function berth_private.lane_name(p_keys text[], p_weights integer[])
  returns text;

create function berth_private.lane_of(p_keys text[], p_weights integer[], p_slots integer[], OUT lane text, OUT limits text[], OUT weights integer[], OUT said_slots integer[])
  returns record;

create function berth_private.lane_of_type(p_type text, p_keys text[], p_weights integer[], p_slots integer[], OUT lane text, OUT limits text[], OUT weights integer[], OUT said_slots integer[])
  returns record;

create function berth_private.lanes_wait(p_queue text, p_priority smallint, p_type text, p_floors berth_private.lane_floor[])
  returns boolean;

create function berth_private.leave_quotas(p_ids uuid[])
  returns void set jit=off set enable_seqscan=off;

create function berth_private.leave_to_heavy(p_queue text, p_priority smallint, p_lanes berth_private.lane_head[], p_can integer[], p_now timestamp with time zone)
  returns integer[];

create function berth_private.leave_to_others(p_session bigint, p_given berth_private.slots_held[], p_over text[], p_ask boolean, p_now timestamp with time zone, p_floors berth_private.lane_floor[], OUT keys text[], OUT queues text[], OUT ours boolean)
  returns record;

create function berth_private.limit_of(p_key text, OUT slots integer, OUT paused boolean, OUT stopped boolean, OUT pace interval, OUT next_start_at timestamp with time zone)
  returns record;

create function berth_private.limited_queues()
  returns SETOF text set jit=off set enable_seqscan=off;

create function berth_private.limits_in_use()
  returns TABLE(key text) set jit=off;

create function berth_private.limits_of_type(p_type text)
  returns TABLE(key text, weight integer, slots integer);

create function berth_private.line_of(p_queue text, p_priority smallint, p_type text, p_lane text)
  returns text;

create function berth_private.lock_groups(p_keys text[])
  returns void;

create function berth_private.lock_held_step(p_id uuid)
  returns void;

create function berth_private.lock_lanes(p_queue text, p_priority smallint, p_type text, p_lane text, p_until text, p_rows integer, OUT lanes berth_private.lane_head[])
  returns berth_private.lane_head[];

create function berth_private.lock_line(p_queue text, p_priority smallint, p_floor timestamp with time zone, p_hop boolean, p_types text[], p_size integer, p_bytes bigint, p_now timestamp with time zone, p_locked uuid[], OUT ids uuid[], OUT ctids tid[], OUT bytes bigint, OUT floor timestamp with time zone, OUT foreign_types boolean)
  returns record;

create function berth_private.lock_outcomes(p_session bigint, p_ids uuid[], p_tokens bigint[])
  returns bigint[];

create function berth_private.lock_quota(p_key text, OUT count integer, OUT place tid)
  returns record set jit=off set enable_seqscan=off;

create function berth_private.lock_quotas(p_keys text[])
  returns integer[];

create function berth_private.lock_workflows(p_names text[])
  returns void;

create function berth_private.log_limit()
  returns trigger security definer set search_path=pg_catalog, pg_temp;

create function berth_private.make_limits(p_lanes berth_private.lane_head[])
  returns void set lock_timeout=50ms;

create function berth_private.make_room(p_id uuid, p_keys text[], p_mosts integer[], p_when_full text[], OUT key text, OUT task uuid)
  returns record set jit=off set enable_seqscan=off;

create function berth_private.make_topic_limit(p_key text)
  returns void;

create function berth_private.may_wait(p_key text, p_queues text[], p_floors berth_private.lane_floor[])
  returns boolean;

create function berth_private.microseconds(p_time timestamp with time zone)
  returns bigint;

create function berth_private.name_in_lane(p_key text, p_weight integer)
  returns text;

create function berth_private.named_id(p_owner text, p_name text)
  returns uuid;

create function berth_private.new_id()
  returns uuid;

create function berth_private.next_lanes(p_queue text, p_priority smallint, p_types text[], p_type text, p_lane text, p_probe boolean, OUT lanes berth_private.lane_head[])
  returns berth_private.lane_head[];

create function berth_private.next_lanes_by_floors(p_queue text, p_priority smallint, p_types text[], p_type text, p_lane text, p_floors berth_private.lane_floor[], OUT lanes berth_private.lane_head[])
  returns berth_private.lane_head[];

create function berth_private.next_level(p_queue text, p_after smallint, p_types text[], p_peek integer, OUT priority smallint, OUT floor timestamp with time zone, OUT foreign_types boolean)
  returns record;

create function berth_private.next_schedule(OUT due boolean, OUT next_at timestamp with time zone)
  returns record set enable_seqscan=off set enable_bitmapscan=off set jit=off;

create function berth_private.now()
  returns timestamp with time zone;

create function berth_private.only_lane_of_type(p_session bigint, p_queue text, p_priority smallint, p_type text, p_lane text)
  returns boolean;

create function berth_private.pairs(p_metadata jsonb)
  returns text[];

create function berth_private.parts_of_others(p_slots integer, p_others integer)
  returns integer;

create function berth_private.pass_on(p_session bigint, p_freed berth_private.freed[])
  returns bigint[];

create function berth_private.promote(p_floor timestamp with time zone DEFAULT NULL::timestamp with time zone, p_size integer DEFAULT 1000, OUT promoted integer, OUT floor timestamp with time zone, OUT next_due timestamp with time zone)
  returns record set enable_seqscan=off set enable_hashjoin=off set enable_mergejoin=off set jit=off;

create function berth_private.promote_each(p_ids uuid[], p_now timestamp with time zone)
  returns void;

create function berth_private.prune_limit_changes()
  returns void;

create function berth_private.prune_sql_tasks()
  returns void;

create function berth_private.put_type_under(p_key text, p_slots integer)
  returns void;

create function berth_private.put_under(p_ids uuid[], p_key text, p_slots integer)
  returns void;

create function berth_private.quota_counts(p_keys text[])
  returns integer[] set jit=off set enable_seqscan=off;

create function berth_private.read_limits(p_type text, p_limits jsonb, OUT keys text[], OUT weights integer[], OUT slots integer[])
  returns record;

create function berth_private.read_quotas(p_type text, p_quotas jsonb, OUT keys text[], OUT mosts integer[], OUT when_full text[])
  returns record;

create function berth_private.recent_ends(p_task berth_private.task, p_now timestamp with time zone, OUT ends bigint, OUT first_at timestamp with time zone)
  returns record set enable_seqscan=off set enable_bitmapscan=on set jit=off;

create function berth_private.refuse_conflict(p_existing uuid[], p_ids uuid[], p_types text[], p_payloads text[], p_workflows text[], p_steps text[], p_names text[])
  returns void set enable_seqscan=off set jit=off;

create function berth_private.refuse_sql()
  returns void;

create function berth_private.reserve(p_keys text[], p_weights integer[], p_at integer, p_for text, p_now timestamp with time zone)
  returns void;

create function berth_private.resize(p_key text, p_slots integer)
  returns void;

create function berth_private.retries_under(p_topics text[])
  returns integer;

create function berth_private.retry_task(p_id uuid)
  returns text;

create function berth_private.revive_step(p_workflow text, p_step text, OUT number bigint, OUT on_failure berth_private.on_failure)
  returns record;

create function berth_private.revoke_all()
  returns void;

create function berth_private.role_named(p_name text)
  returns oid;

create function berth_private.rule_of(p_key text)
  returns text;

create function berth_private.run_as(p_launcher oid)
  returns text;

create function berth_private.runner_fault(p_role oid)
  returns text;

create function berth_private.runs_in(p_task uuid, p_token bigint, p_proofs uuid[])
  returns boolean;

create function berth_private.said_of_own(p_key text)
  returns integer;

create function berth_private.same_payload(p_one text, p_other text)
  returns boolean;

create function berth_private.schedule_answer(p_name text, p_changed boolean)
  returns text;

create function berth_private.schedule_key(p_name text)
  returns text;

create function berth_private.schema_number()
  returns integer;

create function berth_private.settle_limit(p_key text)
  returns void;

create function berth_private.settle_quota(p_key text)
  returns void;

create function berth_private.settle_quotas()
  returns text[] set jit=off set enable_seqscan=off;

create function berth_private.settle_topic(p_name text)
  returns void;

create function berth_private.settle_topics(p_name text)
  returns void;

create function berth_private.some_lane(p_queue text, p_priority smallint, OUT type text, OUT lane text)
  returns record;

create function berth_private.sql_lane(p_type text, p_limits jsonb, OUT lane text, OUT limits text[], OUT weights integer[], OUT said_slots integer[])
  returns record;

create function berth_private.sql_limits(p_launcher name)
  returns jsonb;

create function berth_private.sql_retry_delay(p_failures integer)
  returns interval;

create function berth_private.step_id(p_workflow text, p_step text)
  returns uuid;

create function berth_private.still_wanted(p_size integer, p_basket berth_private.basket)
  returns integer;

create function berth_private.submit_scheduled(p_schedule berth_private.schedule, p_ids uuid[], p_times timestamp with time zone[], p_catching_up boolean, OUT skipped boolean, OUT submitted integer, OUT "full" text)
  returns record;

create function berth_private.submit_step(workflow text, step text, type text, payload jsonb, queue text, priority integer, due_at timestamp with time zone, metadata jsonb, limits jsonb, on_failure text, quotas jsonb)
  returns uuid;

create function berth_private.submit_task(type text, payload jsonb, queue text, priority integer, due_at timestamp with time zone, id uuid, metadata jsonb, quotas jsonb, limits jsonb, name text)
  returns uuid;

create function berth_private.submit_tasks(p_ids uuid[], p_types text[], p_queues text[], p_priorities smallint[], p_due_ats timestamp with time zone[], p_delays bigint[], p_payloads text[], p_metadata text[], p_lanes text[], p_limits text[], p_weights text[], p_said_slots text[], p_repeat boolean, p_quotas text[], p_mosts text[], p_when_full text[], p_workflows text[], p_steps text[], p_on_failure text[], p_advance boolean, p_names text[] DEFAULT NULL::text[], OUT existing uuid[], OUT "position" bigint, OUT full_ids uuid[], OUT full_keys text[], OUT full_tasks uuid[], OUT limited boolean)
  returns record set enable_seqscan=off set jit=off;

create function berth_private.submit_under_quotas(p_ids uuid[], p_types text[], p_queues text[], p_priorities smallint[], p_due_ats timestamp with time zone[], p_delays bigint[], p_payloads text[], p_metadata text[], p_lanes text[], p_limits text[], p_weights text[], p_said_slots text[], p_repeat boolean, p_quotas text[], p_mosts text[], p_when_full text[], p_workflows text[], p_steps text[], p_on_failure text[], p_advance boolean, p_names text[], OUT existing uuid[], OUT "position" bigint, OUT full_ids uuid[], OUT full_keys text[], OUT full_tasks uuid[], OUT limited boolean)
  returns record;

create function berth_private.take_back(p_ids uuid[], p_outcome berth_private.outcome, p_why text DEFAULT NULL::text, p_slots berth_private.slots_held[] DEFAULT '{}'::berth_private.slots_held[])
  returns integer set enable_seqscan=off set jit=off;

create function berth_private.take_in_steps(p_workflows text[], p_advance boolean, p_now timestamp with time zone)
  returns void;

create function berth_private.take_keys(p_lanes berth_private.lane_head[], p_size integer, p_left text[], OUT ctids tid[], OUT held berth_private.holding[], OUT reached text, OUT rest berth_private.lane_head[])
  returns record;

create function berth_private.take_launch()
  returns trigger security definer set search_path=pg_catalog, pg_temp;

create function berth_private.take_notices(p_floor timestamp with time zone, OUT promoted integer, OUT floor timestamp with time zone, OUT faults text[])
  returns record set enable_seqscan=off set jit=off set lock_timeout=200ms;

create function berth_private.take_notices_of(p_names text[], p_places tid[], p_now timestamp with time zone)
  returns integer set enable_seqscan=off set jit=off;

create function berth_private.take_paces()
  returns trigger security definer set lock_timeout=10s set search_path=pg_catalog, pg_temp;

create function berth_private.take_slots(p_queue text, p_priority smallint, p_lanes berth_private.lane_head[], p_size integer, p_locked tid[], p_left text[], p_now timestamp with time zone, p_ahead integer[], p_most integer, OUT ctids tid[], OUT held berth_private.holding[], OUT standbys tid[], OUT paced text[], OUT blocked text[], OUT waits text[], OUT again timestamp with time zone, OUT reached text)
  returns record;

create function berth_private.take_submit()
  returns trigger security definer set search_path=pg_catalog, pg_temp;

create function berth_private.take_submit_batch()
  returns trigger security definer set search_path=pg_catalog, pg_temp;

create function berth_private.take_submit_one()
  returns trigger security definer set search_path=pg_catalog, pg_temp;

create function berth_private.task_fault(p_task berth_private.task)
  returns text;

create function berth_private.topic_key(p_name text)
  returns text;

create function berth_private.topic_settings(p_name text, OUT max_parallel integer, OUT retry_count integer, OUT pace interval)
  returns record;

create function berth_private.try_lock_quota(p_key text, OUT count integer, OUT place tid)
  returns record set jit=off set enable_seqscan=off;

create function berth_private.type_key(p_type text)
  returns text;

create function berth_private.unescaped(p_part text)
  returns text;

create function berth_private.unset_limit(p_key text)
  returns text;

create function berth_private.wait_for(p_session bigint, p_keys text[], p_now timestamp with time zone)
  returns void;

create function berth_private.waiting_queues(p_keys text[])
  returns text[];

create function berth_private.waiting_under(p_most integer)
  returns TABLE(key text, tasks bigint) set enable_seqscan=off set enable_bitmapscan=off set jit=off;

create function berth_private.wake_due(p_queue text, p_due_at timestamp with time zone)
  returns void;

create function berth_private.wake_ready(p_queue text, p_priority integer, p_position timestamp with time zone)
  returns void;

create function berth_private.wake_steps(p_queues text[], p_priorities smallint[], p_due_ats timestamp with time zone[])
  returns void;

create function berth_private.wake_sweep(p_queue text)
  returns void;

create function berth_private.wake_waiting(p_keys text[])
  returns void;

create function berth_private.with_rule(p_key text)
  returns text[];

create function berth_private.workflow_turn(p_workflow text, OUT state text, OUT step text)
  returns record set enable_seqscan=off set jit=off;

create function berth_private.write_outcomes(p_session bigint, p_worker text, p_now timestamp with time zone, p_ids uuid[], p_tokens bigint[], p_outcomes text[], p_texts text[], p_delays bigint[], p_before timestamp with time zone DEFAULT NULL::timestamp with time zone, p_began bigint[] DEFAULT NULL::bigint[], p_passed bigint[] DEFAULT NULL::bigint[], p_heirs bigint[] DEFAULT NULL::bigint[], p_heirs_began bigint[] DEFAULT NULL::bigint[], p_standbys integer[] DEFAULT NULL::integer[], p_careful boolean DEFAULT false, OUT stale bigint[], OUT back_queues text[], OUT back_priorities smallint[], OUT back_due_ats timestamp with time zone[], OUT freed berth_private.freed[], OUT aside bigint[])
  returns record;

create function berth_private.write_quota(p_key text, p_count integer, p_place tid)
  returns void set jit=off set enable_seqscan=off;

create function berth_private.write_schedule(p_name text, p_cron text, p_zone text, p_every bigint, p_missed text, p_overlap text, p_type text, p_queue text, p_priority smallint, p_payload text, p_metadata jsonb, p_limits text[], p_weights integer[], p_said_slots integer[], p_quotas text[], p_mosts integer[], p_when_full text[])
  returns text;

create function berth_private.write_tasks(p_ids uuid[], p_types text[], p_queues text[], p_priorities smallint[], p_due_ats timestamp with time zone[], p_delays bigint[], p_payloads text[], p_metadata text[], p_lanes text[], p_limits text[], p_weights text[], p_said_slots text[], p_repeat boolean, p_quotas text[], p_mosts text[], p_chosen boolean[], p_workflows text[], p_steps text[], p_on_failure text[], p_advance boolean, p_names text[], OUT existing uuid[], OUT "position" bigint, OUT limited boolean)
  returns record;
