-- Puts what counts for a topic into its limit.
create function berth_private.settle_topic(p_name text) returns void language plpgsql as $$
declare
  v_key  text := berth_private.topic_key(p_name);
  v_said record;
begin
  select * into v_said from berth_private.topic_settings(p_name);
  if exists (select from berth_private.task_limit l
              where l.key = v_key and l.code_slots = v_said.max_parallel and l.pace is not distinct from v_said.pace) then
    return;
  end if;
  perform berth_private.lock_groups(array[v_key]);
  insert into berth_private.task_limit as l (key, code_slots, pace) values (v_key, v_said.max_parallel, v_said.pace)
  on conflict (key) do update
    set code_slots = excluded.code_slots, pace = excluded.pace,
        next_start_at = case when l.pace is not distinct from excluded.pace then l.next_start_at end;
  perform berth_private.change_limit(v_key);
end $$;

-- A topic becomes a limit with the first claim of a task under it. This raises nothing: what is no key, in a row that somebody
-- wrote by hand, would stop every claim. Nothing starts under it, and the doctor lists it.
create function berth_private.make_topic_limit(p_key text) returns void language plpgsql as $$
begin
  if exists (select from berth_private.task_limit l where l.key = p_key and l.code_slots is not null) then
    return;
  elsif berth_private.is_key(p_key) then
    perform berth_private.settle_topic(berth_private.unescaped(substr(p_key, 7)));
  else
    insert into berth_private.task_limit as l (key, code_slots, slots) values (p_key, 0, 0)
    on conflict (key) do update set code_slots = 0, slots = 0;
  end if;
end $$;

-- Settles one topic, or all that have a limit if the defaults changed.
create function berth_private.settle_topics(p_name text) returns void language plpgsql as $$
begin
  if p_name <> '' then
    perform berth_private.settle_topic(p_name);
  else
    perform berth_private.settle_topic(berth_private.unescaped(substr(l.key, 7)))
       from berth_private.task_limit l where starts_with(l.key, 'topic/') and berth_private.is_key(l.key) order by l.key;
  end if;
end $$;
