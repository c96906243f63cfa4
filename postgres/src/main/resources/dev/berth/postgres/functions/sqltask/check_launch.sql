-- The server counts its timeout in milliseconds: less would be none, and it knows no more than 24.8 days. Compared as
-- intervals, a year would have 360 days.
create function berth_private.check_sql_timeout(p_timeout interval) returns void language plpgsql immutable as $$
begin
  if (extract(epoch from p_timeout) between 0.001 and 24 * 86400) is not true then
    raise exception 'The timeout of a SQL task cannot be %: use 1 millisecond to 24 days', coalesce(p_timeout::text, 'null')
      using errcode = 'invalid_parameter_value';
  end if;
end $$;

-- Sizes first: the look for a statement between comments and semicolons is not free.
create function berth_private.check_launch(p_statement text, p_topics text[], p_search_path text) returns void
language plpgsql immutable as $$
begin
  if octet_length(p_statement) > 1000000 then
    raise exception 'The statement has % bytes; at most 1000000 are allowed', octet_length(p_statement)
      using errcode = 'invalid_parameter_value';
  elsif p_statement is null or p_statement ~ '^(?:[[:space:];]|--[^\r\n]*(?:[\r\n]|$)|/[*](?:[^*]|[*]+[^*/])*[*]+/)*$' then
    raise exception 'A SQL task needs a statement, but it was empty' using errcode = 'invalid_parameter_value';
  elsif cardinality(p_topics) > 20 then
    raise exception 'A SQL task can be under at most 20 topics, not %', cardinality(p_topics)
      using errcode = 'invalid_parameter_value';
  elsif octet_length(p_search_path) > 10000 then
    raise exception 'The search_path of a SQL task has % bytes; at most 10000 are allowed', octet_length(p_search_path)
      using errcode = 'invalid_parameter_value';
  end if;
end $$;

-- How many SQL tasks may run at once, where nobody says otherwise: all together as many as the server has processes for
-- work of this kind, and those of one launcher half of that. A worker registers the same numbers.
create function berth_private.sql_limits(p_launcher name) returns jsonb language sql stable as $$
  select jsonb_build_object(
    'type/berth.sql', n.workers,
    'type/berth.sql/launcher/' || replace(replace(p_launcher, '%', '%25'), '/', '%2F'), (n.workers + 1) / 2)
    from (select greatest(1, current_setting('max_worker_processes')::integer) as workers) n
$$;
