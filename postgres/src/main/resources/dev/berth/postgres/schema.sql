-- The schema berth as its migrations leave it, for readers and reviewers. Nothing runs this file: SchemaDumpTest
-- compares it with a migrated database, and writes it anew when run with -Dberth.update-schema.

create type berth.on_failure as enum ('halt', 'continue', 'cancel_rest', 'skip');
create type berth.outcome as enum ('finished', 'failed', 'cancelled', 'retry', 'released', 'crashed');
create type berth.task_state as enum ('held', 'waiting', 'ready', 'running');

create sequence berth.schedule_version as bigint;
create sequence berth.step_number as bigint;
create sequence berth.token as bigint;

create table berth.clock (
  only_row boolean not null default true,
  shift interval not null default '00:00:00'::interval,
  constraint clock_pkey PRIMARY KEY (only_row),
  constraint clock_one_row CHECK (only_row)
);

create table berth.exchange_log (
  session_id bigint not null,
  apart boolean not null,
  number bigint not null,
  first_token bigint not null,
  at timestamp with time zone not null,
  stale bigint[],
  constraint exchange_log_pkey PRIMARY KEY (session_id, apart, number)
);

create table berth.hold (
  session_id bigint not null,
  number bigint not null,
  token bigint not null,
  key text not null,
  weight integer not null,
  held berth.slots_held[] not null,
  constraint hold_pkey PRIMARY KEY (session_id, number)
);

create table berth.limit_change (
  key text not null,
  at timestamp with time zone not null,
  slots integer,
  constraint limit_change_pkey PRIMARY KEY (key, at)
);

create table berth.queue (
  name text not null,
  paused boolean not null default false,
  paused_at timestamp with time zone,
  constraint queue_pkey PRIMARY KEY (name)
);

create table berth.quota_count (
  key text not null,
  count integer not null,
  constraint quota_count_pkey PRIMARY KEY (key),
  constraint quota_count_positive CHECK ((count >= 0))
) with (fillfactor=50);

create table berth.quota_task (
  task_id uuid not null,
  key text not null,
  submitted_at timestamp with time zone not null,
  constraint quota_task_pkey PRIMARY KEY (task_id, key)
);

create table berth.schedule (
  name text not null,
  version bigint not null default nextval('berth.schedule_version'::regclass),
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
  constraint schedule_missed CHECK ((missed = ANY (ARRAY['once'::text, 'all'::text, 'none'::text]))),
  constraint schedule_overlap CHECK ((overlap = ANY (ARRAY['skip'::text, 'queue'::text, 'cancel_older'::text]))),
  constraint schedule_times CHECK ((((cron IS NULL) <> (every IS NULL)) AND ((cron IS NULL) = (zone IS NULL))))
);

create table berth.schema_version (
  number integer not null,
  name text not null,
  checksum text not null,
  applied_at timestamp with time zone not null default clock_timestamp(),
  constraint schema_version_pkey PRIMARY KEY (number)
);

create table berth.session (
  id bigint not null generated always as identity,
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
  constraint session_pkey PRIMARY KEY (id)
) with (fillfactor=50);

create table berth.slot_group (
  key text not null,
  number integer not null,
  capacity integer not null,
  used integer not null,
  constraint slot_group_pkey PRIMARY KEY (key, number),
  constraint slot_group_used CHECK ((used >= 0))
) with (fillfactor=50);

create table berth.slot_waiter (
  key text not null,
  session_id bigint not null,
  seen_at timestamp with time zone not null,
  served_at timestamp with time zone not null default '-infinity'::timestamp with time zone,
  constraint slot_waiter_pkey PRIMARY KEY (key, session_id)
) with (fillfactor=50);

create table berth.sql_door (
  only_row boolean not null default true,
  constraint sql_door_pkey PRIMARY KEY (only_row),
  constraint sql_door_one_row CHECK (only_row)
);

create table berth.sql_task (
  task_id uuid not null,
  launcher regrole not null,
  statement text not null,
  topics text[] not null,
  in_transaction boolean not null,
  timeout interval,
  search_path text not null,
  constraint sql_task_pkey PRIMARY KEY (task_id)
);

create table berth.sql_ticket (
  pid integer not null,
  task_id uuid not null,
  token bigint not null,
  constraint sql_ticket_pkey PRIMARY KEY (pid)
);

create table berth.task (
  id uuid not null,
  position timestamp with time zone not null,
  due_at timestamp with time zone not null,
  submitted_at timestamp with time zone not null,
  started_at timestamp with time zone,
  session_id bigint,
  token bigint,
  state berth.task_state not null,
  attempt integer not null default 0,
  failures integer not null default 0,
  crashes integer not null default 0,
  priority smallint not null default 5,
  cancel_requested boolean not null default false,
  standby boolean not null default false,
  type text not null,
  queue text not null,
  payload text not null,
  metadata jsonb,
  last_error text,
  progress text,
  lane text,
  limits text[],
  weights integer[],
  said_slots integer[],
  held berth.slots_held[],
  held_since timestamp with time zone,
  quotas text[],
  quota_mosts integer[],
  workflow text,
  step text,
  step_number bigint,
  on_failure berth.on_failure,
  constraint task_pkey PRIMARY KEY (id),
  constraint task_priority CHECK (((priority >= 0) AND (priority <= 9)))
) with (autovacuum_vacuum_scale_factor=0.02, autovacuum_vacuum_threshold=5000, autovacuum_analyze_scale_factor=0.05, autovacuum_analyze_threshold=5000);

create table berth.task_history (
  task_id uuid not null,
  submitted_at timestamp with time zone not null,
  due_at timestamp with time zone not null,
  started_at timestamp with time zone,
  ended_at timestamp with time zone not null,
  session_id bigint,
  token bigint,
  keep_until date not null,
  outcome berth.outcome not null,
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
  step text
) partition by RANGE (keep_until);

create table berth.task_limit (
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
  constraint task_limit_pkey PRIMARY KEY (key)
);

create table berth.task_type (
  name text not null,
  finished_days integer not null default 7,
  failed_days integer not null default 30,
  max_crashes integer not null default 5,
  registered_at timestamp with time zone not null,
  constraint task_type_pkey PRIMARY KEY (name),
  constraint task_type_days CHECK (((finished_days >= 0) AND (failed_days >= 0)))
);

create table berth.topic (
  name text not null,
  max_parallel integer,
  retry_count integer,
  pace interval,
  file_max_parallel integer,
  file_retry_count integer,
  file_pace interval,
  constraint topic_pkey PRIMARY KEY (name)
);

create table berth.type_limit (
  type text not null,
  key text not null,
  weight integer not null,
  slots integer not null,
  constraint type_limit_pkey PRIMARY KEY (type, key)
);

create table berth.workflow (
  name text not null,
  behind bigint,
  cancelled text,
  keep_until date,
  constraint workflow_pkey PRIMARY KEY (name)
) with (fillfactor=80);

create table berth.workflow_notice (
  at timestamp with time zone not null,
  workflow text not null
);

create table berth.workflow_step (
  workflow text not null,
  step text not null,
  number bigint not null,
  task_id uuid not null,
  type text not null,
  outcome berth.outcome not null,
  skipped boolean not null default false,
  blocks berth.on_failure,
  on_failure berth.on_failure not null,
  ended_at timestamp with time zone not null,
  error text,
  result text,
  constraint workflow_step_pkey PRIMARY KEY (workflow, step)
);

CREATE INDEX quota_task_age ON berth.quota_task USING btree (key, submitted_at, task_id);
CREATE INDEX schedule_next ON berth.schedule USING btree (next_at) WHERE (NOT paused);
CREATE INDEX sql_ticket_task ON berth.sql_ticket USING btree (task_id);
CREATE INDEX task_cancel ON berth.task USING btree (session_id) WHERE cancel_requested;
CREATE INDEX task_claim ON berth.task USING btree (queue, priority DESC, "position", id) WHERE ((state = 'ready'::berth.task_state) AND (lane IS NULL) AND (priority >= 0));
CREATE INDEX task_due ON berth.task USING btree (due_at, id) WHERE (state = 'waiting'::berth.task_state);
CREATE INDEX task_history_ended ON ONLY berth.task_history USING brin (ended_at);
CREATE INDEX task_history_task ON ONLY berth.task_history USING btree (task_id);
CREATE INDEX task_hop ON berth.task USING btree (queue, priority DESC, type, "position", id) WHERE ((state = 'ready'::berth.task_state) AND (lane IS NULL) AND (priority <= 9));
CREATE INDEX task_lane ON berth.task USING btree (queue, priority DESC, type, lane, "position", id) WHERE ((state = 'ready'::berth.task_state) AND (lane IS NOT NULL));
CREATE INDEX task_limit_draining ON berth.task_limit USING btree (key) WHERE (excess > 0);
CREATE INDEX task_limit_own ON berth.task_limit USING btree (key) WHERE (split_part(key, '/'::text, 4) <> ''::text);
CREATE INDEX task_session ON berth.task USING btree (session_id, token) WHERE (state = 'running'::berth.task_state);
CREATE INDEX task_step ON berth.task USING btree (workflow, step_number) WHERE (workflow IS NOT NULL);
CREATE INDEX task_type_unusual ON berth.task_type USING btree (name) WHERE ((finished_days <> 7) OR (failed_days <> 30));
CREATE INDEX workflow_kept ON berth.workflow USING btree (keep_until) WHERE (keep_until IS NOT NULL);
CREATE INDEX workflow_notice_at ON berth.workflow_notice USING btree (at);
CREATE INDEX workflow_step_blocks ON berth.workflow_step USING btree (workflow, number) WHERE (blocks IS NOT NULL);
CREATE INDEX workflow_step_number ON berth.workflow_step USING btree (workflow, number);
CREATE UNIQUE INDEX task_turn ON berth.task USING btree (workflow) WHERE ((workflow IS NOT NULL) AND (state <> 'held'::berth.task_state));

create view berth.attempts (
  task_id uuid,
  type text,
  queue text,
  priority smallint,
  outcome berth.outcome,
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
  error text
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

create view berth.slot_holder (
  key text,
  number integer,
  count integer,
  task_id uuid,
  token bigint,
  type text,
  session_id bigint
);

create view berth.sql_tasks (
  id uuid,
  statement text,
  topics text[],
  state text,
  joined_at timestamp with time zone,
  started_at timestamp with time zone,
  closed_at timestamp with time zone,
  retry_count integer,
  retry_delay interval,
  errors text,
  launcher text,
  in_transaction boolean,
  timeout interval,
  rows bigint,
  result jsonb
) with (security_barrier=true);

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
  step text
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

create function berth.add_type_limits(p_types text[], p_limits text[], p_weights text[], p_said_slots text[], OUT lanes text[], OUT limits text[], OUT weights text[], OUT said_slots text[])
  returns record set plan_cache_mode=force_generic_plan;

create function berth.admit_sql(p_task uuid, p_token bigint, p_pid integer, OUT refused text, OUT call text, OUT direct boolean, OUT in_transaction boolean, OUT statement text, OUT search_path text, OUT timeout_ms bigint, OUT left_behind integer)
  returns record;

create function berth.adopt(p_key text, p_slots integer)
  returns integer set jit=off set enable_seqscan=off;

create function berth.advance(p_names text[], p_afters bigint[], p_now timestamp with time zone, p_types text[] DEFAULT NULL::text[], p_outcomes berth.outcome[] DEFAULT NULL::berth.outcome[], OUT queues text[], OUT priorities smallint[], OUT due_ats timestamp with time zone[])
  returns record set enable_seqscan=off set enable_hashjoin=off set enable_mergejoin=off set jit=off;

create function berth.advance_schedule(p_name text, p_version bigint, p_ids uuid[], p_times timestamp with time zone[], p_catching_up boolean, p_next timestamp with time zone, p_error text)
  returns text set lock_timeout=500ms;

create function berth.ahead(p_task berth.task, p_most integer)
  returns integer set enable_seqscan=off set enable_bitmapscan=off set jit=off;

create function berth.allow_launch(role text, runner text DEFAULT 'berth_runner'::text)
  returns void;

create function berth.answer_again(p_session bigint, p_apart boolean, p_number bigint, p_verdict text)
  returns TABLE(kind text, id uuid, token bigint, type text, queue text, priority smallint, attempt integer, failures integer, crashes integer, submitted_at timestamp with time zone, due_at timestamp with time zone, payload text, metadata text[], "position" timestamp with time zone, foreign_types boolean, lane text);

create function berth.audit(p_key text DEFAULT NULL::text, p_from timestamp with time zone DEFAULT '-infinity'::timestamp with time zone)
  returns TABLE(key text, peak integer, slots integer, at timestamp with time zone, over boolean) set jit=off;

create function berth.begin_exchange(p_session bigint, p_apart boolean, p_number bigint, p_now timestamp with time zone, OUT verdict text, OUT worker text, OUT before timestamp with time zone)
  returns record;

create function berth.behind(p_keys text[], p_weights integer[])
  returns text;

create function berth.beyond_part(p_session bigint, p_keys text[], p_held berth.slots_held[], p_running bigint[])
  returns TABLE(key text, count bigint);

create function berth.cancel(p_id uuid, p_reason text DEFAULT NULL::text)
  returns text;

create function berth.cancel_requests(p_session bigint)
  returns TABLE(kind text, id uuid, token bigint, type text, queue text, priority smallint, attempt integer, failures integer, crashes integer, submitted_at timestamp with time zone, due_at timestamp with time zone, payload text, metadata text[], "position" timestamp with time zone, foreign_types boolean, lane text);

create function berth.cancel_rest(p_workflow text, p_after bigint, p_reason text, p_now timestamp with time zone)
  returns boolean set enable_seqscan=off set jit=off;

create function berth.cancel_workflow(p_workflow text, p_reason text DEFAULT NULL::text)
  returns text;

create function berth.change_limit(p_key text)
  returns void;

create function berth.charge_late()
  returns void set jit=off set enable_seqscan=off set enable_hashjoin=off set enable_mergejoin=off;

create function berth.charge_running(p_key text, p_ids uuid[])
  returns void;

create function berth.check_key(p_what text, p_key text)
  returns void;

create function berth.check_name(p_what text, p_name text)
  returns void;

create function berth.check_submit(p_type text, p_payload jsonb, p_queue text, p_priority integer, p_metadata jsonb)
  returns void;

create function berth.check_topic(p_max_parallel integer, p_retry_count integer, p_delay interval)
  returns void;

create function berth.claim_lanes(p_basket berth.basket, p_session bigint, p_queue text, p_priority smallint, p_types text[], p_size integer, p_left text[], p_now timestamp with time zone, p_floors berth.lane_floor[], p_running bigint[])
  returns berth.basket;

create function berth.claim_levels(p_basket berth.basket, p_session bigint, p_queue text, p_from integer, p_to integer, p_types text[], p_size integer, p_left text[], p_now timestamp with time zone, p_floors berth.lane_floor[], p_running bigint[])
  returns berth.basket;

create function berth.count_quotas(p_keys text[], p_by integer)
  returns void;

create function berth.count_steps(p_workflow text, OUT pending bigint, OUT running bigint, OUT retrying bigint, OUT finished bigint, OUT failed bigint, OUT cancelled bigint)
  returns record set enable_seqscan=off set jit=off;

create function berth.drift(p_key text DEFAULT NULL::text)
  returns TABLE(key text, counter text, number integer, counted bigint, actual bigint) set enable_seqscan=off set jit=off;

create function berth.due_back(p_session bigint, p_freed berth.freed[], p_heirs bigint[], p_now timestamp with time zone, p_before timestamp with time zone, p_floors berth.lane_floor[], p_running bigint[])
  returns bigint[];

create function berth.due_schedules()
  returns TABLE(name text, version bigint, cron text, zone text, every bigint, missed text, anchor timestamp with time zone, since timestamp with time zone, next_at timestamp with time zone, now timestamp with time zone) set enable_seqscan=off set enable_bitmapscan=off set jit=off;

create function berth.end_reservation(p_keys text[], p_for text)
  returns void;

create function berth.end_sessions(p_sessions bigint[], p_outcome berth.outcome)
  returns integer set enable_seqscan=off set jit=off;

create function berth.end_steps(p_ended berth.ended_step[], p_now timestamp with time zone, OUT queues text[], OUT priorities smallint[], OUT due_ats timestamp with time zone[])
  returns record;

create function berth.enter_quotas(p_ids uuid[])
  returns void set jit=off set enable_seqscan=off;

create function berth.exchange(p_session bigint, p_number bigint, p_ids uuid[], p_tokens bigint[], p_outcomes text[], p_texts text[], p_delays bigint[], p_queues text[], p_priorities smallint[], p_floors timestamp with time zone[], p_modes text[], p_cursors text[], p_types text[], p_size integer, p_began bigint[] DEFAULT NULL::bigint[], p_passed bigint[] DEFAULT NULL::bigint[], p_heirs bigint[] DEFAULT NULL::bigint[], p_heirs_began bigint[] DEFAULT NULL::bigint[], p_standbys integer[] DEFAULT NULL::integer[], p_ahead integer[] DEFAULT NULL::integer[], p_most integer DEFAULT NULL::integer, p_apart boolean DEFAULT false, p_lines text[] DEFAULT NULL::text[], p_floors_at bigint[] DEFAULT NULL::bigint[], p_running bigint[] DEFAULT NULL::bigint[])
  returns TABLE(kind text, id uuid, token bigint, type text, queue text, priority smallint, attempt integer, failures integer, crashes integer, submitted_at timestamp with time zone, due_at timestamp with time zone, payload text, metadata text[], "position" timestamp with time zone, foreign_types boolean, lane text) set plan_cache_mode=force_generic_plan set jit=off set enable_seqscan=off set enable_hashjoin=off set enable_mergejoin=off set enable_bitmapscan=off set enable_sort=off set enable_material=off;

create function berth.expire_overrides()
  returns void;

create function berth.expire_sessions(OUT expired integer, OUT returned integer)
  returns record;

create function berth.explain(p_id uuid)
  returns TABLE(kind text, key text, at timestamp with time zone, slots integer, used bigint, number integer, count bigint, holder uuid, token bigint, type text, worker text, starts bigint, since interval) set enable_seqscan=off set jit=off;

create function berth.finish_sql(p_result text)
  returns boolean security definer set search_path=pg_catalog, pg_temp set jit=off set enable_seqscan=off set enable_hashjoin=off set enable_mergejoin=off;

create function berth.forbid_launch(role text)
  returns void;

create function berth.forget_workflows()
  returns void set enable_seqscan=off set jit=off;

create function berth.free_connections()
  returns integer;

create function berth.full_quota(p_keys text[], p_mosts integer[])
  returns text;

create function berth.give_back(p_held berth.slots_held[])
  returns void;

create function berth.hand_on(p_session bigint, p_freed berth.freed[], p_heirs bigint[], p_queues text[], p_size integer, p_now timestamp with time zone, p_before timestamp with time zone, p_floors berth.lane_floor[], p_running bigint[], p_scanned text[], OUT ctids tid[], OUT held berth.holding[], OUT standbys tid[], OUT rest berth.slots_held[], OUT over text[])
  returns record;

create function berth.heartbeat(p_session bigint, p_free integer, p_max integer, p_memory real, p_ids uuid[] DEFAULT '{}'::uuid[], p_tokens bigint[] DEFAULT '{}'::bigint[], p_progress text[] DEFAULT '{}'::text[], OUT alive boolean, OUT expires_at timestamp with time zone, OUT cancel_ids uuid[], OUT cancel_tokens bigint[])
  returns record set enable_seqscan=off set enable_hashjoin=off set enable_mergejoin=off set jit=off;

create function berth.hold_slots(p_session bigint, p_number bigint, p_key text, p_weight integer, p_slots integer, OUT verdict text, OUT token bigint)
  returns record set enable_seqscan=off set jit=off;

create function berth.is_full(p_key text)
  returns boolean;

create function berth.is_own(p_key text)
  returns boolean;

create function berth.is_reserved(p_keys text[], p_for text, p_now timestamp with time zone)
  returns boolean;

create function berth.is_rule(p_key text)
  returns boolean;

create function berth.is_wanted(p_line text)
  returns boolean;

create function berth.is_zone(p_zone text)
  returns boolean;

create function berth.iso_time(p_time timestamp with time zone)
  returns text;

create function berth.keep_days(p_type text, p_outcome berth.outcome)
  returns integer;

create function berth.keep_said(p_key text, p_said integer)
  returns void;

create function berth.keep_until(p_ended_at timestamp with time zone, p_days integer)
  returns date;

create function berth.known_steps(p_inserted uuid[], p_ids uuid[], p_workflows text[], p_steps text[])
  returns SETOF uuid;

create function berth.lane_entries_read()
  returns bigint;

create function berth.lane_of(p_keys text[], p_weights integer[], p_slots integer[], OUT lane text, OUT limits text[], OUT weights integer[], OUT said_slots integer[])
  returns record;

create function berth.lane_of_type(p_type text, p_keys text[], p_weights integer[], p_slots integer[], OUT lane text, OUT limits text[], OUT weights integer[], OUT said_slots integer[])
  returns record;

create function berth.lanes_wait(p_queue text, p_priority smallint, p_type text, p_floors berth.lane_floor[])
  returns boolean;

create function berth.launch(statement text, topics text[] DEFAULT '{}'::text[], transaction boolean DEFAULT true, timeout interval DEFAULT NULL::interval, due_at timestamp with time zone DEFAULT NULL::timestamp with time zone, priority integer DEFAULT 5, queue text DEFAULT 'sql'::text, id uuid DEFAULT NULL::uuid)
  returns uuid;

create function berth.leave(p_session bigint)
  returns integer;

create function berth.leave_quotas(p_ids uuid[])
  returns void set jit=off set enable_seqscan=off;

create function berth.leave_to_heavy(p_queue text, p_priority smallint, p_lanes berth.lane_head[], p_can integer[], p_now timestamp with time zone)
  returns integer[];

create function berth.leave_to_others(p_session bigint, p_given berth.slots_held[], p_over text[], p_ask boolean, p_now timestamp with time zone, p_floors berth.lane_floor[], OUT keys text[], OUT queues text[], OUT ours boolean)
  returns record;

create function berth.limit_of(p_key text, OUT slots integer, OUT paused boolean, OUT stopped boolean, OUT pace interval, OUT next_start_at timestamp with time zone)
  returns record;

create function berth.limited_queues()
  returns SETOF text set jit=off set enable_seqscan=off;

create function berth.limits_of_type(p_type text)
  returns TABLE(key text, weight integer, slots integer);

create function berth.line_of(p_queue text, p_priority smallint, p_type text, p_lane text)
  returns text;

create function berth.lock_groups(p_keys text[])
  returns void;

create function berth.lock_held_step(p_id uuid)
  returns void;

create function berth.lock_lanes(p_queue text, p_priority smallint, p_type text, p_lane text, p_until text, p_rows integer, OUT lanes berth.lane_head[])
  returns berth.lane_head[];

create function berth.lock_line(p_queue text, p_priority smallint, p_floor timestamp with time zone, p_hop boolean, p_types text[], p_size integer, p_now timestamp with time zone, p_locked uuid[], OUT ids uuid[], OUT ctids tid[], OUT floor timestamp with time zone, OUT foreign_types boolean)
  returns record;

create function berth.lock_quota(p_key text, OUT count integer, OUT place tid)
  returns record set jit=off set enable_seqscan=off;

create function berth.lock_quotas(p_keys text[])
  returns integer[];

create function berth.lock_workflows(p_names text[])
  returns void;

create function berth.log_limit()
  returns trigger;

create function berth.make_limits(p_lanes berth.lane_head[])
  returns void;

create function berth.make_partitions(p_days_ahead integer DEFAULT 2)
  returns integer;

create function berth.make_room(p_id uuid, p_keys text[], p_mosts integer[], p_when_full text[], OUT key text, OUT task uuid)
  returns record set jit=off set enable_seqscan=off;

create function berth.make_topic_limit(p_key text)
  returns void;

create function berth.may_wait(p_key text, p_queues text[], p_floors berth.lane_floor[])
  returns boolean;

create function berth.microseconds(p_time timestamp with time zone)
  returns bigint;

create function berth.name_paces(p_keys text[], p_paces bigint[])
  returns void;

create function berth.new_id()
  returns uuid;

create function berth.next_lanes(p_queue text, p_priority smallint, p_types text[], p_type text, p_lane text, p_probe boolean, OUT lanes berth.lane_head[])
  returns berth.lane_head[];

create function berth.next_lanes_by_floors(p_queue text, p_priority smallint, p_types text[], p_type text, p_lane text, p_floors berth.lane_floor[], OUT lanes berth.lane_head[])
  returns berth.lane_head[];

create function berth.next_level(p_queue text, p_after smallint, p_types text[], p_peek integer, OUT priority smallint, OUT floor timestamp with time zone, OUT foreign_types boolean)
  returns record;

create function berth.next_schedule(OUT due boolean, OUT next_at timestamp with time zone)
  returns record set enable_seqscan=off set enable_bitmapscan=off set jit=off;

create function berth.now()
  returns timestamp with time zone;

create function berth.only_lane_of_type(p_session bigint, p_queue text, p_priority smallint, p_type text, p_lane text)
  returns boolean;

create function berth.open_session(p_worker text, p_host text, p_lease interval, p_max integer, p_types text[], p_queues text[], OUT session_id bigint, OUT expires_at timestamp with time zone)
  returns record;

create function berth.pairs(p_metadata jsonb)
  returns text[];

create function berth.parts_of_others(p_slots integer, p_others integer)
  returns integer;

create function berth.pass_on(p_session bigint, p_freed berth.freed[])
  returns bigint[];

create function berth.pause(p_queue text)
  returns text;

create function berth.pause_limit(p_key text)
  returns text;

create function berth.pause_schedule(p_name text)
  returns text;

create function berth.prepare_sql(p_task uuid, p_token bigint, OUT launcher text, OUT refused text, OUT free integer)
  returns record;

create function berth.promote(p_floor timestamp with time zone DEFAULT NULL::timestamp with time zone, p_size integer DEFAULT 1000, OUT promoted integer, OUT floor timestamp with time zone, OUT next_due timestamp with time zone)
  returns record set enable_seqscan=off set enable_hashjoin=off set enable_mergejoin=off set jit=off;

create function berth.prune()
  returns integer set lock_timeout=50ms;

create function berth.prune_limit_changes()
  returns void;

create function berth.prune_sql_tasks()
  returns void;

create function berth.put_schedule(p_name text, p_cron text, p_zone text, p_every bigint, p_missed text, p_overlap text, p_type text, p_queue text, p_priority smallint, p_payload text, p_metadata jsonb, p_limits text[], p_weights integer[], p_said_slots integer[], p_quotas text[], p_mosts integer[], p_when_full text[])
  returns text;

create function berth.put_some_under(p_key text, p_slots integer, p_after uuid, p_size integer)
  returns uuid set enable_seqscan=off set jit=off;

create function berth.put_type_under(p_key text, p_slots integer)
  returns void;

create function berth.put_under(p_ids uuid[], p_key text, p_slots integer)
  returns void;

create function berth.quota_counts(p_keys text[])
  returns integer[] set jit=off set enable_seqscan=off;

create function berth.read_limits(p_type text, p_limits jsonb, OUT keys text[], OUT weights integer[], OUT slots integer[])
  returns record;

create function berth.read_quotas(p_quotas jsonb, OUT keys text[], OUT mosts integer[])
  returns record;

create function berth.recent_starts(p_task berth.task, p_now timestamp with time zone, OUT starts bigint, OUT first_at timestamp with time zone)
  returns record set enable_seqscan=off set enable_bitmapscan=on set jit=off;

create function berth.recount_limit(p_key text)
  returns text;

create function berth.refuse_over_quota(p_keys text[], p_mosts integer[])
  returns void;

create function berth.register_limits(p_types text[], p_keys text[], p_slots integer[], p_paces bigint[], p_in_file boolean[])
  returns TABLE(key text, slots integer, before integer, by_hand integer);

create function berth.register_topics(p_names text[], p_max_parallel integer[], p_retry_counts integer[], p_delays bigint[])
  returns void;

create function berth.register_type_limits(p_types text[], p_of text[], p_keys text[], p_weights integer[], p_slots integer[])
  returns void;

create function berth.register_types(p_names text[], p_finished_days integer[], p_failed_days integer[], p_max_crashes integer[])
  returns void;

create function berth.release_hold(p_session bigint, p_number bigint, OUT released boolean, OUT queues text[])
  returns record set enable_seqscan=off set jit=off;

create function berth.release_slot(p_key text, p_token bigint)
  returns text set enable_seqscan=off set jit=off;

create function berth.remove_schedule(p_name text)
  returns text;

create function berth.reserve(p_keys text[], p_weights integer[], p_at integer, p_for text, p_now timestamp with time zone)
  returns void;

create function berth.reset_limit(p_key text)
  returns text;

create function berth.reset_topic(topic text)
  returns text;

create function berth.resize(p_key text, p_slots integer)
  returns void;

create function berth.resume(p_queue text)
  returns text;

create function berth.resume_limit(p_key text)
  returns text;

create function berth.resume_schedule(p_name text)
  returns text;

create function berth.retries_under(p_topics text[])
  returns integer;

create function berth.retry(p_id uuid)
  returns text;

create function berth.retry_sql(p_task uuid, p_token bigint, p_lost boolean)
  returns bigint;

create function berth.retry_workflow(p_workflow text)
  returns text;

create function berth.revive_step(p_workflow text, p_step text, OUT number bigint, OUT on_failure berth.on_failure)
  returns record;

create function berth.rule_of(p_key text)
  returns text;

create function berth.run_as(p_launcher oid)
  returns text;

create function berth.run_schedule(p_name text, p_task uuid DEFAULT NULL::uuid)
  returns text;

create function berth.run_ticket(OUT rows bigint, OUT result text)
  returns record;

create function berth.runner_fault(p_role oid)
  returns text;

create function berth.said_of_own(p_key text)
  returns integer;

create function berth.schedule_answer(p_name text, p_changed boolean)
  returns text;

create function berth.schedule_key(p_name text)
  returns text;

create function berth.set_limit(p_key text, p_slots integer, p_for interval DEFAULT NULL::interval)
  returns text;

create function berth.set_schedule(name text, type text, payload jsonb DEFAULT 'null'::jsonb, cron text DEFAULT NULL::text, zone text DEFAULT 'UTC'::text, every interval DEFAULT NULL::interval, missed text DEFAULT 'once'::text, overlap text DEFAULT 'skip'::text, queue text DEFAULT 'default'::text, priority integer DEFAULT 5, metadata jsonb DEFAULT NULL::jsonb, quotas jsonb DEFAULT NULL::jsonb, limits jsonb DEFAULT NULL::jsonb)
  returns text;

create function berth.set_topic(topic text, max_parallel integer DEFAULT NULL::integer, retry_count integer DEFAULT NULL::integer, delay interval DEFAULT NULL::interval)
  returns void;

create function berth.settle_limit(p_key text)
  returns void;

create function berth.settle_topic(p_name text)
  returns void;

create function berth.settle_topics(p_name text)
  returns void;

create function berth.skip_step(p_workflow text, p_step text)
  returns text;

create function berth.some_lane(p_queue text, p_priority smallint, OUT type text, OUT lane text)
  returns record;

create function berth.sql_lane(p_type text, p_limits jsonb, OUT lane text, OUT limits text[], OUT weights integer[], OUT said_slots integer[])
  returns record;

create function berth.sql_retry_delay(p_failures integer)
  returns interval;

create function berth.stand_by(p_queue text, p_key text, p_since timestamp with time zone)
  returns boolean set enable_seqscan=off set jit=off;

create function berth.step_id(p_workflow text, p_step text)
  returns uuid;

create function berth.still_wanted(p_size integer, p_basket berth.basket)
  returns integer;

create function berth.submit(type text, payload jsonb DEFAULT 'null'::jsonb, queue text DEFAULT 'default'::text, priority integer DEFAULT 5, due_at timestamp with time zone DEFAULT NULL::timestamp with time zone, id uuid DEFAULT NULL::uuid, metadata jsonb DEFAULT NULL::jsonb, quotas jsonb DEFAULT NULL::jsonb, limits jsonb DEFAULT NULL::jsonb)
  returns uuid;

create function berth.submit_batch(p_ids uuid[], p_types text[], p_queues text[], p_priorities smallint[], p_due_ats timestamp with time zone[], p_delays bigint[], p_payloads text[], p_metadata text[], p_lanes text[], p_limits text[], p_weights text[], p_said_slots text[], p_repeat boolean, p_quotas text[] DEFAULT NULL::text[], p_mosts text[] DEFAULT NULL::text[], p_when_full text[] DEFAULT NULL::text[], p_chosen boolean[] DEFAULT NULL::boolean[], p_workflows text[] DEFAULT NULL::text[], p_steps text[] DEFAULT NULL::text[], p_on_failure text[] DEFAULT NULL::text[], p_advance boolean DEFAULT true, OUT existing uuid[], OUT "position" bigint, OUT full_ids uuid[], OUT full_keys text[], OUT full_tasks uuid[], OUT limited boolean)
  returns record set enable_seqscan=off set jit=off;

create function berth.submit_one(p_id uuid, p_type text, p_queue text, p_priority smallint, p_payload text, p_metadata text[], p_lane text, p_limits text[], p_weights integer[], p_said_slots integer[])
  returns bigint set enable_seqscan=off set jit=off;

create function berth.submit_scheduled(p_schedule berth.schedule, p_ids uuid[], p_times timestamp with time zone[], p_catching_up boolean, OUT skipped boolean, OUT submitted integer, OUT "full" text)
  returns record;

create function berth.submit_step(workflow text, step text, type text, payload jsonb DEFAULT 'null'::jsonb, queue text DEFAULT 'default'::text, priority integer DEFAULT 5, due_at timestamp with time zone DEFAULT NULL::timestamp with time zone, metadata jsonb DEFAULT NULL::jsonb, limits jsonb DEFAULT NULL::jsonb, on_failure text DEFAULT 'halt'::text)
  returns uuid;

create function berth.submit_under_quotas(p_ids uuid[], p_types text[], p_queues text[], p_priorities smallint[], p_due_ats timestamp with time zone[], p_delays bigint[], p_payloads text[], p_metadata text[], p_lanes text[], p_limits text[], p_weights text[], p_said_slots text[], p_repeat boolean, p_quotas text[], p_mosts text[], p_when_full text[], p_workflows text[], p_steps text[], p_on_failure text[], p_advance boolean, OUT existing uuid[], OUT "position" bigint, OUT full_ids uuid[], OUT full_keys text[], OUT full_tasks uuid[], OUT limited boolean)
  returns record;

create function berth.sweep(p_floor timestamp with time zone DEFAULT NULL::timestamp with time zone, p_step_floor timestamp with time zone DEFAULT NULL::timestamp with time zone, OUT promoted integer, OUT floor timestamp with time zone, OUT next_due timestamp with time zone, OUT expired integer, OUT returned integer, OUT step_floor timestamp with time zone, OUT schedules boolean)
  returns record;

create function berth.take_back(p_ids uuid[], p_outcome berth.outcome, p_why text DEFAULT NULL::text, p_slots berth.slots_held[] DEFAULT '{}'::berth.slots_held[])
  returns integer set enable_seqscan=off set jit=off;

create function berth.take_in_steps(p_workflows text[], p_advance boolean, p_now timestamp with time zone)
  returns void;

create function berth.take_keys(p_lanes berth.lane_head[], p_size integer, p_left text[], OUT ctids tid[], OUT held berth.holding[], OUT reached text, OUT rest berth.lane_head[])
  returns record;

create function berth.take_launch()
  returns trigger security definer set search_path=pg_catalog, pg_temp;

create function berth.take_notices(p_floor timestamp with time zone, OUT promoted integer, OUT floor timestamp with time zone)
  returns record set enable_seqscan=off set jit=off;

create function berth.take_slots(p_queue text, p_priority smallint, p_lanes berth.lane_head[], p_size integer, p_locked tid[], p_left text[], p_now timestamp with time zone, p_ahead integer[], p_most integer, OUT ctids tid[], OUT held berth.holding[], OUT standbys tid[], OUT paced text[], OUT blocked text[], OUT waits text[], OUT again timestamp with time zone, OUT reached text)
  returns record;

create function berth.topic_key(p_name text)
  returns text;

create function berth.topic_settings(p_name text, OUT max_parallel integer, OUT retry_count integer, OUT pace interval)
  returns record;

create function berth.type_key(p_type text)
  returns text;

create function berth.unescaped(p_part text)
  returns text;

create function berth.wait_for(p_session bigint, p_keys text[], p_now timestamp with time zone)
  returns void;

create function berth.waiting_queues(p_keys text[])
  returns text[];

create function berth.waiting_under(p_most integer)
  returns TABLE(key text, tasks bigint) set enable_seqscan=off set enable_bitmapscan=off set jit=off;

create function berth.wake_due(p_queue text, p_due_at timestamp with time zone)
  returns void;

create function berth.wake_ready(p_queue text, p_priority integer, p_position timestamp with time zone)
  returns void;

create function berth.wake_steps(p_queues text[], p_priorities smallint[], p_due_ats timestamp with time zone[])
  returns void;

create function berth.wake_sweep(p_queue text)
  returns void;

create function berth.wake_waiting(p_keys text[])
  returns void;

create function berth.workflow_turn(p_workflow text, OUT state text, OUT step text)
  returns record set enable_seqscan=off set jit=off;

create function berth.write_outcomes(p_session bigint, p_worker text, p_now timestamp with time zone, p_ids uuid[], p_tokens bigint[], p_outcomes text[], p_texts text[], p_delays bigint[], p_before timestamp with time zone DEFAULT NULL::timestamp with time zone, p_began bigint[] DEFAULT NULL::bigint[], p_passed bigint[] DEFAULT NULL::bigint[], p_heirs bigint[] DEFAULT NULL::bigint[], p_heirs_began bigint[] DEFAULT NULL::bigint[], p_standbys integer[] DEFAULT NULL::integer[], OUT stale bigint[], OUT back_queues text[], OUT back_priorities smallint[], OUT back_due_ats timestamp with time zone[], OUT freed berth.freed[])
  returns record;
