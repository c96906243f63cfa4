-- Sets what is said and leaves the rest; for null as the topic, what counts for all topics that say nothing else.
create function berth.set_topic(
  topic        text,
  max_parallel integer  default null,  -- how many of its tasks may run at once
  retry_count  integer  default null,  -- how often a failed one is tried again
  delay        interval default null   -- the least time between two starts
) returns void language plpgsql
  set lock_timeout = '10s' security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_name text := coalesce(set_topic.topic, '');
begin
  if set_topic.topic is not null then
    perform berth_private.topic_key(v_name);
  end if;
  perform berth_private.check_topic(set_topic.max_parallel, set_topic.retry_count, set_topic.delay);
  insert into berth_private.topic as t (name, max_parallel, retry_count, pace)
  values (v_name, set_topic.max_parallel, set_topic.retry_count, set_topic.delay)
  on conflict on constraint topic_pkey do update
    set max_parallel = coalesce(excluded.max_parallel, t.max_parallel),
        retry_count = coalesce(excluded.retry_count, t.retry_count), pace = coalesce(excluded.pace, t.pace);
  perform berth_private.settle_topics(v_name);
end $$;

-- What was set by hand counts no more. Returns 'unchanged' if there was nothing.
create function berth.reset_topic(topic text) returns text language plpgsql
  set lock_timeout = '10s' security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_name text := coalesce(reset_topic.topic, '');
begin
  update berth_private.topic t set max_parallel = null, retry_count = null, pace = null
   where t.name = v_name and (t.max_parallel is not null or t.retry_count is not null or t.pace is not null);
  if not found then
    return 'unchanged';
  end if;
  perform berth_private.settle_topics(v_name);
  return 'done';
end $$;
