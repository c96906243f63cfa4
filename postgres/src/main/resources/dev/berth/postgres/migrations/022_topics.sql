-- Topics: limits for SQL tasks that also say how often and how fast. A topic is the limit topic/NAME; its number of slots
-- and its pace are kept there, where a claim reads them.

create table berth.topic (
  name              text not null,  -- empty: what counts for all that say nothing else
  max_parallel      integer,        -- set by hand, which wins over
  retry_count       integer,
  pace              interval,
  file_max_parallel integer,        --   what the file of a worker said last
  file_retry_count  integer,
  file_pace         interval,
  constraint topic_pkey primary key (name)
);

create function berth.topic_key(p_name text) returns text language plpgsql immutable as $$
begin
  if p_name is null or p_name !~ '\S' then
    raise exception 'A topic needs a name, but it was blank' using errcode = 'invalid_parameter_value';
  elsif length(p_name) > 200 then
    raise exception 'The topic name "%…" has % characters; at most 200 are allowed', left(p_name, 40), length(p_name)
      using errcode = 'invalid_parameter_value';
  elsif p_name ~ '[[:cntrl:]]' then
    raise exception 'The topic name "%" contains a control character', regexp_replace(p_name, '[[:cntrl:]]', '?', 'g')
      using errcode = 'invalid_parameter_value';
  end if;
  return 'topic/' || replace(replace(p_name, '%', '%25'), '/', '%2F');
end $$;

-- What counts for a topic, known or not.
create function berth.topic_settings(
  p_name text, out max_parallel integer, out retry_count integer, out pace interval
) language plpgsql stable as $$
declare
  v_own berth.topic;
  v_all berth.topic;
begin
  select * into v_own from berth.topic t where t.name = p_name;
  select * into v_all from berth.topic t where t.name = '';
  max_parallel := coalesce(v_own.max_parallel, v_own.file_max_parallel, v_all.max_parallel, v_all.file_max_parallel,
                           current_setting('max_worker_processes')::integer);
  retry_count := coalesce(v_own.retry_count, v_own.file_retry_count, v_all.retry_count, v_all.file_retry_count, 0);
  pace := nullif(coalesce(v_own.pace, v_own.file_pace, v_all.pace, v_all.file_pace), interval '0');
end $$;

-- Of several topics the lowest.
create function berth.retries_under(p_topics text[]) returns integer language sql stable as $$
  select min(s.retry_count)
    from unnest(case when p_topics = '{}' then '{""}' else p_topics end) as t (name)
   cross join lateral berth.topic_settings(t.name) s
$$;

-- Puts what counts for a topic into its limit.
create function berth.settle_topic(p_name text) returns void language plpgsql as $$
declare
  v_key  text := berth.topic_key(p_name);
  v_said record;
begin
  select * into v_said from berth.topic_settings(p_name);
  if exists (select from berth.task_limit l
              where l.key = v_key and l.code_slots = v_said.max_parallel and l.pace is not distinct from v_said.pace) then
    return;
  end if;
  perform berth.lock_groups(array[v_key]);
  insert into berth.task_limit as l (key, code_slots, pace) values (v_key, v_said.max_parallel, v_said.pace)
  on conflict (key) do update
    set code_slots = excluded.code_slots, pace = excluded.pace,
        next_start_at = case when l.pace is not distinct from excluded.pace then l.next_start_at end;
  perform berth.change_limit(v_key);
end $$;

-- A topic becomes a limit with the first claim of a task under it.
create function berth.make_topic_limit(p_key text) returns void language plpgsql as $$
begin
  if not exists (select from berth.task_limit l where l.key = p_key and l.code_slots is not null) then
    perform berth.settle_topic(berth.unescaped(substr(p_key, 7)));
  end if;
end $$;

-- Settles one topic, or all that have a limit if the defaults changed.
create function berth.settle_topics(p_name text) returns void language plpgsql as $$
begin
  if p_name <> '' then
    perform berth.settle_topic(p_name);
  else
    perform berth.settle_topic(berth.unescaped(substr(l.key, 7)))
       from berth.task_limit l where starts_with(l.key, 'topic/') order by l.key;
  end if;
end $$;

create function berth.check_topic(p_max_parallel integer, p_retry_count integer, p_delay interval) returns void
language plpgsql immutable as $$
begin
  if p_max_parallel not between 0 and 1000000 then
    raise exception 'A topic cannot have % tasks in parallel: use 0 (blocks) to 1000000', p_max_parallel
      using errcode = 'invalid_parameter_value';
  elsif p_retry_count not between 0 and 1000 then
    raise exception 'A task cannot be tried again % times: use 0 to 1000', p_retry_count
      using errcode = 'invalid_parameter_value';
  elsif p_delay < interval '0' or p_delay > interval '1 day' then
    raise exception 'The delay between two starts cannot be %: use 0 to 1 day', p_delay
      using errcode = 'invalid_parameter_value';
  end if;
end $$;

-- Sets what is said and leaves the rest; for null as the topic, what counts for all topics that say nothing else.
create function berth.set_topic(
  topic        text,
  max_parallel integer  default null,  -- how many of its tasks may run at once
  retry_count  integer  default null,  -- how often a failed one is tried again
  delay        interval default null   -- the least time between two starts
) returns void language plpgsql as $$
declare
  v_name text := coalesce(set_topic.topic, '');
begin
  if set_topic.topic is not null then
    perform berth.topic_key(v_name);
  end if;
  perform berth.check_topic(set_topic.max_parallel, set_topic.retry_count, set_topic.delay);
  insert into berth.topic as t (name, max_parallel, retry_count, pace)
  values (v_name, set_topic.max_parallel, set_topic.retry_count, set_topic.delay)
  on conflict on constraint topic_pkey do update
    set max_parallel = coalesce(excluded.max_parallel, t.max_parallel),
        retry_count = coalesce(excluded.retry_count, t.retry_count), pace = coalesce(excluded.pace, t.pace);
  perform berth.settle_topics(v_name);
end $$;

-- What was set by hand counts no more. Returns 'unchanged' if there was nothing.
create function berth.reset_topic(topic text) returns text language plpgsql as $$
declare
  v_name text := coalesce(reset_topic.topic, '');
begin
  update berth.topic t set max_parallel = null, retry_count = null, pace = null
   where t.name = v_name and (t.max_parallel is not null or t.retry_count is not null or t.pace is not null);
  if not found then
    return 'unchanged';
  end if;
  perform berth.settle_topics(v_name);
  return 'done';
end $$;

-- What the file of a worker says: all of it, so what it says no more is gone. Times in milliseconds.
create function berth.register_topics(
  p_names text[], p_max_parallel integer[], p_retry_counts integer[], p_delays bigint[]
) returns void language plpgsql as $$
declare
  v_changed text[];
begin
  with said as (
    select f.name, f.max_parallel, f.retry_count, f.delay * interval '1 millisecond' as pace
      from unnest(p_names, p_max_parallel, p_retry_counts, p_delays) as f (name, max_parallel, retry_count, delay)
  )
  select array_agg(coalesce(s.name, t.name) order by coalesce(s.name, t.name)) into v_changed
    from said s full join berth.topic t on t.name = s.name
   where (s.max_parallel, s.retry_count, s.pace) is distinct from (t.file_max_parallel, t.file_retry_count, t.file_pace);
  if v_changed is null then
    return;
  end if;
  update berth.topic t set file_max_parallel = null, file_retry_count = null, file_pace = null
   where t.name = any (v_changed) and t.name <> all (p_names);
  insert into berth.topic as t (name, file_max_parallel, file_retry_count, file_pace)
  select f.name, f.max_parallel, f.retry_count, f.delay * interval '1 millisecond'
    from unnest(p_names, p_max_parallel, p_retry_counts, p_delays) as f (name, max_parallel, retry_count, delay)
   where f.name = any (v_changed)
  on conflict (name) do update
    set file_max_parallel = excluded.file_max_parallel, file_retry_count = excluded.file_retry_count,
        file_pace = excluded.file_pace;
  perform berth.settle_topics(c) from unnest(v_changed) as c;
end $$;

-- The topics that somebody spoke of or that tasks are under now; an empty name: the defaults.
create view berth.topics as
  with live as materialized (
    select n.name, count(*) filter (where t.state <> 'running' or t.standby) as pending,
           count(*) filter (where t.state = 'running' and not t.standby) as running
      from berth.sql_task q
      join berth.task t on t.id = q.task_id
     cross join lateral unnest(q.topics) as n (name)
     group by n.name
  )
  select n.name, s.max_parallel, s.retry_count, coalesce(s.pace, interval '0') as delay,
         coalesce(t.max_parallel, t.retry_count) is not null or t.pace is not null as by_hand,
         coalesce(l.pending, 0) as pending, coalesce(l.running, 0) as running
    from (select name from berth.topic
          union select ''
          union select berth.unescaped(substr(k.key, 7)) from berth.task_limit k where starts_with(k.key, 'topic/')
          union select name from live) n
   cross join lateral berth.topic_settings(n.name) s
    left join berth.topic t on t.name = n.name
    left join live l on l.name = n.name
   order by n.name;
