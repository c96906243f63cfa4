-- Tables of the queue. They are private: functions and views of schema berth are the interface.

create type berth_private.task_state as enum ('held', 'waiting', 'ready', 'running');

create type berth_private.outcome as enum ('finished', 'failed', 'cancelled', 'retry', 'released', 'crashed');

-- What a step that has failed does to those after it in its workflow; skip: nothing, a person has said so.
create type berth_private.on_failure as enum ('halt', 'continue', 'cancel_rest', 'skip');

-- A step that has ended for good, and whether it was its turn.
create type berth_private.ended_step as (
  workflow text, step text, number bigint, on_failure berth_private.on_failure, task_id uuid, type text,
    outcome berth_private.outcome,
  text text, turn boolean
);

-- Slots of one group of a limit.
create type berth_private.slots_held as (key text, number integer, count integer);

-- A task under limits that ended: where it had stood, the slots it held (null: it was a standby), who has taken them over
-- and when, and how many standbys the worker wants in its place.
create type berth_private.freed as (
  queue text, priority smallint, type text, lane text, limits text[], position timestamptz, since timestamptz,
  held berth_private.slots_held[], heir bigint, heir_began timestamptz, standbys integer
);

-- The slots that a task shall hold, and since when, if it inherits them.
create type berth_private.holding as (held berth_private.slots_held[], since timestamptz);

-- How far a session has come in a lane: it found nothing to claim before this place.
create type berth_private.lane_floor as (
  queue text, priority smallint, type text, lane text collate "C", floor timestamptz
);

-- What an exchange has claimed under limits so far, and where it stands in the lanes of a queue.
create type berth_private.basket as (
  ctids  tid[],            -- tasks that are locked and may start,
  held   berth_private.holding[],  --   what they shall hold,
  standbys tid[],          --   and others that shall stand by
  paced  text[],           -- limits whose next start is to be put off
  cursor text,             -- the lane that was looked at last, as type, lane and level; null: there was none
  more   boolean,          -- whether lanes were claimed from or left for the next time
  again  timestamptz,      -- when a paced limit may be asked again
  ahead  integer[],        -- how many standbys to add to each slot of a type; null: none
  room   integer,          -- how many tasks more this exchange may claim
  seen   text[]            -- long lanes that were looked at: the line, and the microsecond at which their tasks begin;
                           --   null: few dead entries were in the way
);

-- Against rows that somebody writes by hand: what a claim or a sweep could not read, or no index keep, must not come in. A
-- domain looks at a value when it is written; how columns go together is looked at by check/row. A constraint of the table
-- would be read anew by every statement that inserts or updates, before it looks at any row. What is submitted is looked at
-- more closely.
create domain berth_private.moment as timestamptz constraint task_times check (
  isfinite(value) and value < '10000-01-01T00:00:00Z');

create domain berth_private.level as smallint constraint task_priority check (value between 0 and 9);

create domain berth_private.text_pairs as jsonb constraint task_metadata check (jsonb_typeof(value) = 'object');

create domain berth_private.lane_name as text collate "C"
  constraint task_keys check (value ~ '^(limit|topic|schedule|type)/[^/]' and position(E'\n' in value) = 0)
  constraint task_bytes check (octet_length(value) <= 2600);

create domain berth_private.key_list as text[]
  constraint task_key_list check (
    cardinality(value) > 0 and array_lower(value, 1) = 1 and array_position(value, null) is null);

create domain berth_private.weight_list as integer[]
  constraint task_weights check (
    array_lower(value, 1) = 1 and 1 <= all (value) and 1000000 >= all (value) and array_position(value, null) is null);

create domain berth_private.slots_list as integer[]
  constraint task_said_slots check (
    array_lower(value, 1) = 1 and 0 <= all (value) and 1000000 >= all (value) and array_position(value, null) is null);

-- Live work only; a task that ends moves to task_history. Wide columns last, nulls for what is rare.
create table berth_private.task (
  id               uuid             not null,
  position         berth_private.moment not null,  -- place in its queue and priority: when it became ready
  due_at           berth_private.moment not null,
  submitted_at     berth_private.moment not null,
  started_at       timestamptz,                -- start of the current or last attempt
  session_id       bigint,                     -- who runs it
  token            bigint,                     -- proves the lease; unique per claim, later claims have higher ones
  state            berth_private.task_state not null,
    -- held: by its workflow; waiting: due later; ready: in the claim index; running
  attempt          integer          not null default 0,  -- starts spent; a release gives one back
  failures         integer          not null default 0,
  crashes          integer          not null default 0,
  priority         berth_private.level not null default 5,
  cancel_requested boolean          not null default false,
  standby          boolean          not null default false,  -- claimed, to start when a slot of its lane falls free in its
                                                             --   worker; stale while it does not run
  type             text             not null,
  queue            text             not null,
  payload          text             not null,
  metadata         berth_private.text_pairs,
  last_error       text,
  progress         text,
  lane             berth_private.lane_name,    -- null: under no limit
  limits           berth_private.key_list,     -- the keys of the lane, from most to least shared,
  weights          berth_private.weight_list,  --   how many slots of each,
  said_slots       berth_private.slots_list,   --   and how many slots each shall have if nobody knows it yet
  held             berth_private.slots_held[],         -- the slots of a running task; stale while it does not run
  held_since       timestamptz,                -- when they were taken; a task may have inherited them; null: it stands by, or
                                               --   was there before its limit
  quotas           berth_private.key_list,     -- null: under no quota; else the keys that count it until it ends
  quota_mosts      integer[],                  --   and how many each allowed at its submit
  workflow         text collate "C",           -- null: stands alone; else a step of it, with this name,
  step             text collate "C",
  step_number      bigint,                     --   its place in the order,
  on_failure       berth_private.on_failure,           --   and what becomes of those after it if it fails
  name             text,                       -- the text its id was made from, of at most 200 characters; null: none
  -- A claim writes a second entry beside the first: with room for both no page has to be cleaned or split for it.
  constraint task_pkey primary key (id) with (fillfactor = 50)
) with (
  autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 5000,
  autovacuum_analyze_scale_factor = 0.05, autovacuum_analyze_threshold = 5000
);

-- The line in which work is claimed, and the same line by type, which lets a claim hop over any number of tasks whose
-- types the worker does not handle. The planner must not take one for the other, whatever its statistics say. So each
-- has a condition of its own that holds for every row, and a query can only use the index whose condition it repeats.
create index task_claim on berth_private.task (queue, priority desc, position, id)
  where state = 'ready' and lane is null and priority >= 0;

create index task_hop on berth_private.task (queue, priority desc, type, position, id)
  where state = 'ready' and lane is null and priority <= 9;

-- Limited work by lane: a claim hops from lane to lane, whatever waits in them.
create index task_lane on berth_private.task (queue, priority desc, type, lane, position, id)
  where state = 'ready' and lane is not null;

-- What a session runs; in token order, so that the claims of its last exchange are one short range.
create index task_session on berth_private.task (session_id, token) where state = 'running';

create index task_due on berth_private.task (due_at, id) where state = 'waiting';

create index task_cancel on berth_private.task (session_id) where cancel_requested;

-- A token block per exchange; no cache, so that a later claim of a task always carries the higher token.
create sequence berth_private.token as bigint;

-- One row per ended attempt; the last of a task is final and carries payload and result.
-- A partition holds what may be forgotten on the same day, so that pruning is dropping tables.
create table berth_private.task_history (
  task_id      uuid          not null,
  submitted_at timestamptz   not null,
  due_at       timestamptz   not null,
  started_at   timestamptz,                    -- null: ended without ever running
  ended_at     timestamptz   not null,
  session_id   bigint,
  token        bigint,
  keep_until   date          not null,         -- the last day it is kept
  outcome      berth_private.outcome not null,
  attempt      integer       not null,
  failures     integer       not null,
  crashes      integer       not null,
  priority     smallint      not null,
  final        boolean       not null,
  type         text          not null,
  queue        text          not null,
  worker       text,
  error        text,
  result       text,
  payload      text,
  metadata     jsonb,
  lane         text,
  limits       text[],
  weights      integer[],
  said_slots   integer[],
  quotas       text[],
  quota_mosts  integer[],
  workflow     text,
  step         text,
  name         text
) partition by range (keep_until);

create index task_history_task on berth_private.task_history (task_id);

-- Catches rows of a day nobody made a partition for: an insert never fails.
create table berth_private.task_history_default partition of berth_private.task_history default;

-- What workers registered; a type known only from SQL submits follows the defaults of keep_days() and give_back().
create table berth_private.task_type (
  name          text        not null,
  finished_days integer     not null default 7,   -- 0: keep no history
  failed_days   integer     not null default 30,  -- failed, and every attempt that was not the last
  max_crashes   integer     not null default 5,   -- a task that took more workers down than this has failed
  registered_at timestamptz not null,
  constraint task_type_pkey primary key (name),
  constraint task_type_name check (name <> '' and length(name) <= 200),
  constraint task_type_days check (finished_days between 0 and 3650 and failed_days between 0 and 3650)
);

-- Whether there is one that keeps its history otherwise than usual.
create index task_type_unusual on berth_private.task_type (name) where finished_days <> 7 or failed_days <> 30;

-- One worker process. Exchanges lock its row against expiry; heartbeats change no indexed column (HOT).
create table berth_private.session (
  id         bigint      not null generated always as identity,
  proof      uuid        not null default gen_random_uuid(),  -- shown by each call: ids come again after a restore
  opened_at  timestamptz not null,
  expires_at timestamptz not null,
  lease      interval    not null,
  free       integer     not null,
  max        integer     not null,
  memory     real,
  worker     text        not null,
  host       text,
  types      text[]      not null,
  queues     text[]      not null,
  constraint session_pkey primary key (id),
  constraint session_times check (
    expires_at > '-infinity' and expires_at < 'infinity' and lease > interval '0' and lease <= interval '365000 days'),
  constraint session_names check (array_position(types, null) is null and array_position(queues, null) is null)
) with (fillfactor = 50);

-- The last exchange of each session, or both halves of it: a repeat after a lost reply finds its number here and gets the
-- same answer. Inserted and deleted, never updated: a version chain would grow while a long transaction holds vacuum back.
create table berth_private.exchange_log (
  session_id  bigint not null,
  apart       boolean not null, -- the half that hands in outcomes, where another one claims
  number      bigint not null,
  first_token bigint not null,  -- every claim of this exchange has a higher token, every earlier one a lower
  at          timestamptz not null,
  stale       bigint[],         -- tokens of refused outcomes,
  aside       bigint[],         --   and of those that were put aside
  constraint exchange_log_pkey primary key (session_id, apart, number)
);

-- Rows only for queues that were ever paused.
create table berth_private.queue (
  name      text    not null,
  paused    boolean not null default false,
  paused_at timestamptz,
  constraint queue_pkey primary key (name),
  constraint queue_name check (name <> '' and length(name) <= 200)
);

-- How large the payload of a task may be, its metadata and its result, each for itself.
create table berth_private.size_cap (
  only_row boolean not null default true,
  bytes    integer not null default 1048576,
  constraint size_cap_pkey primary key (only_row),
  constraint size_cap_one_row check (only_row),
  constraint size_cap_bytes check (bytes between 1000 and 100000000)
);

insert into berth_private.size_cap default values;

-- Tests move time; everyone else leaves the one row alone.
create table berth_private.clock (
  only_row boolean  not null default true,
  shift    interval not null default '0',
  constraint clock_pkey primary key (only_row),
  constraint clock_one_row check (only_row)
);

insert into berth_private.clock default values;

-- A limit by its key, or the rule of many keys: type/mail/user carries the number of type/mail/user/7.
create table berth_private.task_limit (
  key            text    not null,
  slots          integer,                          -- the number in force; null: no limit
  override_slots integer,                          -- said by a person; wins over
  override_until timestamptz,                      --   until when; null: until it is reset
  code_slots     integer,                          -- what a worker registered last, which wins over
  in_file        boolean not null default false,   --   (whether it stood in its file, not in its code)
  submit_slots   integer,                          -- what came with a task,
  removed        boolean not null default false,   --   which counts no more once code has taken the limit away, and not
                                                   --   where a person put the type under it
  excess         integer not null default 0,
  paused         boolean not null default false,
  pace           interval,                         -- the least time between two starts, by code, else by the first submit
  next_start_at  timestamptz,                      -- when the next may be, if paced
  reserved_for   text,                             -- the line of a heavy task that waits, or a hold,
  reserved_from  timestamptz,                      --   from when on free slots are left to it
  reserved_until timestamptz,                      --   for as long as somebody asks for it
  first_group    integer not null default 1,       -- the lowest number of its groups: higher after each time without a limit
  changed_at     timestamptz not null default '-infinity',  -- when the number in force changed last
  idle_since     timestamptz,                      -- since when nobody is seen to use it; null: somebody does, or may
  constraint task_limit_pkey primary key (key),
  constraint task_limit_numbers check (
    slots between 0 and 1000000 and override_slots between 0 and 1000000 and code_slots between 0 and 1000000
    and submit_slots between 0 and 1000000),
  constraint task_limit_times check (
    override_until > '-infinity' and override_until < 'infinity' and pace >= interval '0' and pace <= interval '365000 days'
    and next_start_at < 'infinity')
);

-- Those that drain: few, and mostly none.
create index task_limit_draining on berth_private.task_limit (key) where excess > 0;

-- Whether any key has a row besides that of its rule.
create index task_limit_own on berth_private.task_limit (key) where split_part(key, '/', 4) <> '';

create table berth_private.slot_group (
  key      text    not null,
  number   integer not null,
  capacity integer not null,
  used     integer not null,
  constraint slot_group_pkey primary key (key, number),
  constraint slot_group_used check (used >= 0)
) with (fillfactor = 50);

-- Which session waits for a slot of which limit: whoever gives slots back leaves them to the others for once. Rows are
-- only ever locked with SKIP LOCKED, and a session alone makes its own, so that nobody waits for anybody here.
create table berth_private.slot_waiter (
  key        text        not null,
  session_id bigint      not null,
  seen_at    timestamptz not null,                        -- when it asked in vain
  served_at  timestamptz not null default '-infinity',    -- when slots were left to it
  constraint slot_waiter_pkey primary key (key, session_id)
) with (fillfactor = 50);

-- Slots held without a task; they come back when they are released or the session ends.
create table berth_private.hold (
  session_id bigint             not null,
  number     bigint             not null,  -- of the hold within the session, chosen by the client: a repeat finds its row
  token      bigint             not null,
  key        text               not null,
  weight     integer            not null,
  held       berth_private.slots_held[] not null,  -- none while the limit does not limit
  taken_at   timestamptz        not null,
  constraint hold_pkey primary key (session_id, number)
);

-- Where a lane begins: its type and limits.
create type berth_private.lane_head as (
  type text, lane text, limits text[], weights integer[], said_slots integer[],
  position timestamptz,  -- where the first one stands
  single tid             -- the only task that was seen in the lane, which is locked; null: there may be more
);

create table berth_private.quota_count (
  key   text    not null,
  count integer not null,
  constraint quota_count_pkey primary key (key),
  constraint quota_count_positive check (count >= 0)
) with (fillfactor = 50);

-- Tasks have ended while somebody had their count locked: to be taken off it by whoever locks it next.
create table berth_private.quota_return (
  key   text    not null,
  count integer not null,
  constraint quota_return_positive check (count > 0)
);

create index quota_return_key on berth_private.quota_return (key);

-- Which tasks they are, to find the oldest.
create table berth_private.quota_task (
  task_id      uuid        not null,
  key          text        not null,
  submitted_at timestamptz not null,
  constraint quota_task_pkey primary key (task_id, key)
);

create index quota_task_age on berth_private.quota_task (key, submitted_at, task_id);

-- Recent history is read for the speed of a line, and nothing is sorted by time as history is. A block range index costs
-- an insert next to nothing.
create index task_history_ended on berth_private.task_history using brin (ended_at);

create table berth_private.limit_change (
  key   text        not null,
  at    timestamptz not null,
  slots integer,              -- null: no limit; for one of many keys, that its rule's number counts
  constraint limit_change_pkey primary key (key, at)
);

-- What the code of workers says; what a person says of the limit of a type stands in task_limit.
create table berth_private.type_limit (
  type   text    not null,
  key    text    not null,  -- the type's own limit, a shared one, or the rule of many keys
  weight integer not null,
  slots  integer not null,  -- the number that was said with it
  constraint type_limit_pkey primary key (type, key),
  constraint type_limit_numbers check (weight between 1 and 1000000 and slots between 0 and 1000000)
);

-- What the code of workers says of quotas: they also count for a submit from SQL that does not name them.
create table berth_private.type_quota (
  type      text    not null,
  key       text    not null,  -- the type's own quota, or the rule of many keys
  most      integer not null,
  when_full text    not null,
  idle_since timestamptz,   -- since when no worker that is there handles the type; null: one does, or may
  constraint type_quota_pkey primary key (type, key),
  constraint type_quota_numbers check (
    most between 0 and 1000000 and when_full in ('refuse', 'existing', 'cancel', 'replace'))
);

create table berth_private.workflow (
  name       text collate "C" not null,
  behind     bigint,  -- steps were added behind the one whose turn it is: the least of their numbers
  cancelled  text,    -- why a person cancelled it, and with it what is added later
  keep_until date,    -- null: it has live steps; else the last day it is remembered
  constraint workflow_pkey primary key (name)
) with (fillfactor = 80);

create index workflow_kept on berth_private.workflow (keep_until) where keep_until is not null;

-- Steps that have ended. They are known, with their results, for as long as the workflow is, whatever their types keep.
create table berth_private.workflow_step (
  workflow   text collate "C" not null,
  step       text collate "C" not null,
  number     bigint           not null,
  task_id    uuid             not null,
  type       text             not null,
  outcome    berth_private.outcome    not null,
  skipped    boolean          not null default false,
  blocks     berth_private.on_failure,            -- what it does to those after it; null: nothing
  on_failure berth_private.on_failure not null,
  ended_at   timestamptz      not null,
  error      text,
  result     text,
  constraint workflow_step_pkey primary key (workflow, step)
);

create index workflow_step_number on berth_private.workflow_step (workflow, number);

create index workflow_step_blocks on berth_private.workflow_step (workflow, number) where blocks is not null;

-- Steps came to this workflow in a transaction that could not look whose turn it is.
create table berth_private.workflow_notice (
  at       timestamptz not null,
  workflow text        not null,
  constraint workflow_notice_name check (length(workflow) <= 200)
);

create index workflow_notice_at on berth_private.workflow_notice (at);

-- The order of steps. Numbers are drawn without a lock, so of two that are submitted at once either may be first.
create sequence berth_private.step_number as bigint;

create index task_step on berth_private.task (workflow, step_number) where workflow is not null;

-- The step whose turn it is: one at most.
create unique index task_turn on berth_private.task (workflow) where workflow is not null and state <> 'held';

create sequence berth_private.schedule_version as bigint;

create table berth_private.schedule (
  name        text        not null,
  version     bigint      not null default nextval('berth_private.schedule_version'),
  cron        text,                             -- one of cron and every
  zone        text,
  every       bigint,                           -- milliseconds
  missed      text        not null,
  overlap     text        not null,
  anchor      timestamptz not null,             -- from which a fixed rate is counted
  since       timestamptz not null,             -- where the next time is to be found: the first after this
  next_at     timestamptz,                      -- -infinity: to be found by a worker; null: there is none, see error
  paused      boolean     not null default false,
  last_at     timestamptz,                      -- the last occurrence,
  last_task   uuid,                             --   and the last task
  submitted   bigint      not null default 0,
  skipped     bigint      not null default 0,   -- occurrences that were left out because an earlier task was alive
  error       text,
  -- what is submitted, as in task
  type        text        not null,
  queue       text        not null,
  priority    smallint    not null,
  payload     text        not null,
  metadata    jsonb,
  lane        text        not null,
  limits      text[]      not null,
  weights     integer[]   not null,
  said_slots  integer[]   not null,
  quotas      text[]      not null,             -- in the order in which they decide
  quota_mosts integer[]   not null,
  when_full   text[]      not null,
  constraint schedule_pkey primary key (name),
  constraint schedule_times check ((cron is null) <> (every is null) and (cron is null) = (zone is null)),
  constraint schedule_missed check (missed in ('once', 'all', 'none')),
  constraint schedule_overlap check (overlap in ('skip', 'queue', 'cancel_older')),
  constraint schedule_names check (
    name <> '' and type <> '' and queue <> '' and length(name) <= 200 and length(type) <= 200 and length(queue) <= 200),
  constraint schedule_priority check (priority between 0 and 9),
  constraint schedule_metadata check (jsonb_typeof(metadata) = 'object'),
  constraint schedule_every check (every between 100 and 3153600000000),
  constraint schedule_next check (next_at < 'infinity' and isfinite(anchor) and isfinite(since) and isfinite(last_at)),
  constraint schedule_limits check (
    cardinality(limits) > 0 and cardinality(weights) = cardinality(limits) and cardinality(said_slots) = cardinality(limits)
    and 1 <= all (weights) and 1000000 >= all (weights) and 0 <= all (said_slots) and 1000000 >= all (said_slots)
    and num_nulls(variadic weights) + num_nulls(variadic said_slots) + num_nulls(variadic limits) = 0),
  constraint schedule_bytes check (octet_length(queue) + octet_length(type) + octet_length(lane) <= 2600),
  constraint schedule_quotas check (
    cardinality(quota_mosts) = cardinality(quotas) and cardinality(when_full) = cardinality(quotas)
    and num_nulls(variadic quotas) + num_nulls(variadic quota_mosts) = 0
    and when_full <@ array['refuse', 'existing', 'cancel', 'replace'])
);

create index schedule_next on berth_private.schedule (next_at) where not paused;

-- What was launched. Kept for as long as the task or its history.
create table berth_private.sql_task (
  task_id        uuid    not null,
  launcher       regrole not null,
  statement      text    not null,
  topics         text[]  not null,
  in_transaction boolean not null,
  timeout        interval not null,
  search_path    text    not null,  -- that of the launch: the statement means what it meant there
  constraint sql_task_pkey primary key (task_id)
);

-- Which backend may run which task, for as long as the token owns it.
create table berth_private.sql_ticket (
  pid     integer not null,
  task_id uuid    not null,
  token   bigint  not null,
  proof   uuid    not null,  -- that the caller of finish_sql is the worker, and not the statement
  constraint sql_ticket_pkey primary key (pid)
);

create index sql_ticket_task on berth_private.sql_ticket (task_id);

-- Its one row is locked by the worker that connects just now. No advisory lock, which any launcher could hold for ever.
create table berth_private.sql_door (
  only_row boolean not null default true,
  timeout  interval not null default '1 hour',  -- of tasks that name none
  constraint sql_door_pkey primary key (only_row),
  constraint sql_door_one_row check (only_row)
);

insert into berth_private.sql_door default values;

create table berth_private.topic (
  name              text not null,  -- empty: what counts for all that say nothing else
  max_parallel      integer,        -- set by hand, which wins over
  retry_count       integer,
  pace              interval,
  file_max_parallel integer,        --   what the file of a worker said last
  file_retry_count  integer,
  file_pace         interval,
  constraint topic_pkey primary key (name),
  constraint topic_numbers check (
    length(name) <= 200 and max_parallel between 0 and 1000000 and file_max_parallel between 0 and 1000000
    and retry_count between 0 and 1000 and file_retry_count between 0 and 1000
    and pace between interval '0' and interval '1 day' and file_pace between interval '0' and interval '1 day')
);

-- Who may do what. A role outlives a change of its name, and a copy on another server, where its number is another's.
create table berth_private.role_grant (
  role   regrole not null,
  what   text    not null,
  types  text[],              -- for submit: null: all
  queues text[],
  constraint role_grant_pkey primary key (role, what),
  constraint role_grant_what check (what in ('submit', 'work', 'read', 'launch'))
);
