-- Tables of the queue. They are private: functions and views are the interface.

create type berth.task_state as enum ('held', 'waiting', 'ready', 'running');

create type berth.outcome as enum ('finished', 'failed', 'cancelled', 'retry', 'released', 'crashed');

-- What a step that has failed does to those after it in its workflow; skip: nothing, a person has said so.
create type berth.on_failure as enum ('halt', 'continue', 'cancel_rest', 'skip');

-- A step that has ended for good, and whether it was its turn.
create type berth.ended_step as (
  workflow text, step text, number bigint, on_failure berth.on_failure, task_id uuid, type text, outcome berth.outcome,
  text text, turn boolean
);

-- Slots of one group of a limit.
create type berth.slots_held as (key text, number integer, count integer);

-- A task under limits that ended: where it had stood, the slots it held (null: it was a standby), who has taken them over
-- and when, and how many standbys the worker wants in its place.
create type berth.freed as (
  queue text, priority smallint, type text, lane text, limits text[], position timestamptz, since timestamptz,
  held berth.slots_held[], heir bigint, heir_began timestamptz, standbys integer
);

-- The slots that a task shall hold, and since when, if it inherits them.
create type berth.holding as (held berth.slots_held[], since timestamptz);

-- How far a session has come in a lane: it found nothing to claim before this place.
create type berth.lane_floor as (
  queue text, priority smallint, type text, lane text collate "C", floor timestamptz
);

-- What an exchange has claimed under limits so far, and where it stands in the lanes of a queue.
create type berth.basket as (
  ctids  tid[],            -- tasks that are locked and may start,
  held   berth.holding[],  --   what they shall hold,
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

-- Live work only; a task that ends moves to task_history. Wide columns last, nulls for what is rare.
create table berth.task (
  id               uuid             not null,
  position         timestamptz      not null,  -- place in its queue and priority: when it became ready
  due_at           timestamptz      not null,
  submitted_at     timestamptz      not null,
  started_at       timestamptz,                -- start of the current or last attempt
  session_id       bigint,                     -- who runs it
  token            bigint,                     -- proves the lease; unique per claim, later claims have higher ones
  state            berth.task_state not null,  -- held: by its workflow; waiting: due later; ready: in the claim index; running
  attempt          integer          not null default 0,  -- starts spent; a release gives one back
  failures         integer          not null default 0,
  crashes          integer          not null default 0,
  priority         smallint         not null default 5,
  cancel_requested boolean          not null default false,
  standby          boolean          not null default false,  -- claimed, to start when a slot of its lane falls free in its
                                                             --   worker; stale while it does not run
  type             text             not null,
  queue            text             not null,
  payload          text             not null,
  metadata         jsonb,
  last_error       text,
  progress         text,
  lane             text collate "C",           -- null: under no limit
  limits           text[],                     -- the keys of the lane, from most to least shared,
  weights          integer[],                  --   how many slots of each,
  said_slots       integer[],                  --   and how many slots each shall have if nobody knows it yet
  held             berth.slots_held[],         -- the slots of a running task; stale while it does not run
  held_since       timestamptz,                -- when they were taken; a task may have inherited them; null: it stands by, or
                                               --   was there before its limit
  quotas           text[],                     -- null: under no quota; else the keys that count it until it ends
  quota_mosts      integer[],                  --   and how many each allowed at its submit
  workflow         text collate "C",           -- null: stands alone; else a step of it, with this name,
  step             text collate "C",
  step_number      bigint,                     --   its place in the order,
  on_failure       berth.on_failure,           --   and what becomes of those after it if it fails
  -- A claim writes a second entry beside the first: with room for both no page has to be cleaned or split for it.
  constraint task_pkey primary key (id) with (fillfactor = 50),
  constraint task_priority check (priority between 0 and 9)
) with (
  autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 5000,
  autovacuum_analyze_scale_factor = 0.05, autovacuum_analyze_threshold = 5000
);

-- The line in which work is claimed, and the same line by type, which lets a claim hop over any number of tasks whose
-- types the worker does not handle. The planner must not take one for the other, whatever its statistics say. So each
-- has a condition of its own that holds for every row, and a query can only use the index whose condition it repeats.
create index task_claim on berth.task (queue, priority desc, position, id)
  where state = 'ready' and lane is null and priority >= 0;

create index task_hop on berth.task (queue, priority desc, type, position, id)
  where state = 'ready' and lane is null and priority <= 9;

-- Limited work by lane: a claim hops from lane to lane, whatever waits in them.
create index task_lane on berth.task (queue, priority desc, type, lane, position, id)
  where state = 'ready' and lane is not null;

-- What a session runs; in token order, so that the claims of its last exchange are one short range.
create index task_session on berth.task (session_id, token) where state = 'running';

create index task_due on berth.task (due_at, id) where state = 'waiting';

create index task_cancel on berth.task (session_id) where cancel_requested;

-- A token block per exchange; no cache, so that a later claim of a task always carries the higher token.
create sequence berth.token as bigint;

-- One row per ended attempt; the last of a task is final and carries payload and result.
-- A partition holds what may be forgotten on the same day, so that pruning is dropping tables.
create table berth.task_history (
  task_id      uuid          not null,
  submitted_at timestamptz   not null,
  due_at       timestamptz   not null,
  started_at   timestamptz,                    -- null: ended without ever running
  ended_at     timestamptz   not null,
  session_id   bigint,
  token        bigint,
  keep_until   date          not null,         -- the last day it is kept
  outcome      berth.outcome not null,
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
  step         text
) partition by range (keep_until);

create index task_history_task on berth.task_history (task_id);

-- Catches rows of a day nobody made a partition for: an insert never fails.
create table berth.task_history_default partition of berth.task_history default;

-- What workers registered; a type known only from SQL submits follows the defaults of keep_days() and give_back().
create table berth.task_type (
  name          text        not null,
  finished_days integer     not null default 7,   -- 0: keep no history
  failed_days   integer     not null default 30,  -- failed, and every attempt that was not the last
  max_crashes   integer     not null default 5,   -- a task that took more workers down than this has failed
  registered_at timestamptz not null,
  constraint task_type_pkey primary key (name),
  constraint task_type_days check (finished_days >= 0 and failed_days >= 0)
);

-- Whether there is one that keeps its history otherwise than usual.
create index task_type_unusual on berth.task_type (name) where finished_days <> 7 or failed_days <> 30;

-- One worker process. Exchanges lock its row against expiry; heartbeats change no indexed column (HOT).
create table berth.session (
  id         bigint      not null generated always as identity,
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
  constraint session_pkey primary key (id)
) with (fillfactor = 50);

-- The last exchange of each session, or both halves of it: a repeat after a lost reply finds its number here and gets the
-- same answer. Inserted and deleted, never updated: a version chain would grow while a long transaction holds vacuum back.
create table berth.exchange_log (
  session_id  bigint not null,
  apart       boolean not null, -- the half that hands in outcomes, where another one claims
  number      bigint not null,
  first_token bigint not null,  -- every claim of this exchange has a higher token, every earlier one a lower
  at          timestamptz not null,
  stale       bigint[],         -- tokens of refused outcomes
  constraint exchange_log_pkey primary key (session_id, apart, number)
);

-- Rows only for queues that were ever paused.
create table berth.queue (
  name      text    not null,
  paused    boolean not null default false,
  paused_at timestamptz,
  constraint queue_pkey primary key (name)
);

-- Tests move time; everyone else leaves the one row alone.
create table berth.clock (
  only_row boolean  not null default true,
  shift    interval not null default '0',
  constraint clock_pkey primary key (only_row),
  constraint clock_one_row check (only_row)
);

insert into berth.clock default values;

-- The only clock. plpgsql, because a SQL function would be planned again on every call.
create function berth.now() returns timestamptz language plpgsql stable as $$
begin
  return clock_timestamp() + (select shift from berth.clock);
end $$;

-- The last day to keep an attempt that ended at p_ended_at.
create function berth.keep_until(p_ended_at timestamptz, p_days integer) returns date language sql immutable as $$
  select (p_ended_at at time zone 'UTC')::date + p_days
$$;

-- How many days the type wants an attempt with this outcome kept; 0: not at all.
create function berth.keep_days(p_type text, p_outcome berth.outcome) returns integer language plpgsql stable as $$
declare
  v_type berth.task_type;
begin
  select * into v_type from berth.task_type y where y.name = p_type;
  return case when p_outcome in ('finished', 'cancelled')
              then coalesce(v_type.finished_days, 7) else coalesce(v_type.failed_days, 30) end;
end $$;

-- Metadata as key, value, key, value: what a client can read without a JSON parser.
create function berth.pairs(p_metadata jsonb) returns text[] language plpgsql immutable strict as $$
begin
  return array(select unnest(array[e.key, e.value]) from jsonb_each_text(p_metadata) as e (key, value));
end $$;
