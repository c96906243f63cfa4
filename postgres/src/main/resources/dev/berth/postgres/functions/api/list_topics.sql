-- The topics that somebody spoke of or that tasks are under now; an empty name: the defaults.
create function berth.list_topics() returns table (
  name text, max_parallel integer, retry_count integer, delay interval, by_hand boolean, pending bigint, running bigint
) language sql stable
  security definer set search_path = pg_catalog, pg_temp as $$
  with live as materialized (
    select n.name, count(*) filter (where t.state <> 'running' or t.standby) as pending,
           count(*) filter (where t.state = 'running' and not t.standby) as running
      from berth_private.sql_task q
      join berth_private.task t on t.id = q.task_id
     cross join lateral unnest(q.topics) as n (name)
     group by n.name
  )
  select n.name, s.max_parallel, s.retry_count, coalesce(s.pace, interval '0') as delay,
         coalesce(t.max_parallel, t.retry_count) is not null or t.pace is not null as by_hand,
         coalesce(l.pending, 0) as pending, coalesce(l.running, 0) as running
    from (select name from berth_private.topic
          union select ''
          union select berth_private.unescaped(substr(k.key, 7))
            from berth_private.task_limit k where starts_with(k.key, 'topic/')
          union select name from live) n
   cross join lateral berth_private.topic_settings(n.name) s
    left join berth_private.topic t on t.name = n.name
    left join live l on l.name = n.name
   order by n.name
$$;

create view berth.topics as select * from berth.list_topics();
