-- Topics: limits for SQL tasks that also say how often and how fast. A topic is the limit topic/NAME; its number of slots
-- and its pace are kept there, where a claim reads them.

create function berth_private.topic_key(p_name text) returns text language plpgsql immutable as $$
begin
  perform berth_private.check_name('topic', p_name);
  perform berth_private.check_any_key('topic', 'topic/' || replace(replace(p_name, '%', '%25'), '/', '%2F'));
  return 'topic/' || replace(replace(p_name, '%', '%25'), '/', '%2F');
end $$;

-- What counts for a topic, known or not.
create function berth_private.topic_settings(
  p_name text, out max_parallel integer, out retry_count integer, out pace interval
) language plpgsql stable as $$
declare
  v_own berth_private.topic;
  v_all berth_private.topic;
begin
  select * into v_own from berth_private.topic t where t.name = p_name;
  select * into v_all from berth_private.topic t where t.name = '';
  max_parallel := coalesce(v_own.max_parallel, v_own.file_max_parallel, v_all.max_parallel, v_all.file_max_parallel,
                           current_setting('max_worker_processes')::integer);
  retry_count := coalesce(v_own.retry_count, v_own.file_retry_count, v_all.retry_count, v_all.file_retry_count, 0);
  pace := nullif(coalesce(v_own.pace, v_own.file_pace, v_all.pace, v_all.file_pace), interval '0');
end $$;

-- Of several topics the lowest.
create function berth_private.retries_under(p_topics text[]) returns integer language sql stable as $$
  select min(s.retry_count)
    from unnest(case when p_topics = '{}' then '{""}' else p_topics end) as t (name)
   cross join lateral berth_private.topic_settings(t.name) s
$$;

create function berth_private.check_topic(p_max_parallel integer, p_retry_count integer, p_delay interval) returns void
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
