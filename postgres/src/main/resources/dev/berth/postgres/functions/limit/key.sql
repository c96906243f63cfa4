-- The key that carries the number of this one.
create function berth_private.rule_of(p_key text) returns text language sql immutable as $$
  select case when split_part(p_key, '/', 4) = '' then p_key
              else left(p_key, -1 - length(split_part(p_key, '/', 4))) end
$$;

-- Where what is under a key is shown: there, and with its rule.
create function berth_private.with_rule(p_key text) returns text[] language sql immutable as $$
  select case when split_part(p_key, '/', 4) = '' then array[p_key] else array[p_key, berth_private.rule_of(p_key)] end
$$;

-- A key that carries the number of many keys: type/mail/user.
create function berth_private.is_rule(p_key text) returns boolean language sql immutable as $$
  select split_part(p_key, '/', 3) <> '' and split_part(p_key, '/', 4) = ''
$$;

-- The limit of a type, which all its tasks are under.
create function berth_private.is_own(p_key text) returns boolean language sql immutable as $$
  select split_part(p_key, '/', 1) = 'type' and split_part(p_key, '/', 3) = ''
$$;

create function berth_private.type_key(p_type text) returns text language sql immutable as $$
  select 'type/' || replace(replace(p_type, '%', '%25'), '/', '%2F')
$$;

-- HEAVY TASKS, which need several slots of a limit at once, would wait for ever while others take each slot that comes back.
-- So the first that asks in vain is noted, and a second later free slots are left to it until it has started: nobody else
-- starts under the limit. One limit is reserved for one line at a time, a lane of a queue, priority and type; for as long as
-- somebody asks and a task is ready there. A line that has a reservation does not wait for those of others, or two could
-- wait for each other.

create function berth_private.line_of(p_queue text, p_priority smallint, p_type text, p_lane text) returns text
language sql immutable as $$
  select concat_ws(E'\n', p_queue, p_priority, p_type, p_lane)
$$;
