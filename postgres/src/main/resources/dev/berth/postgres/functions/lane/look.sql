-- How many entries of task_lane this transaction has read so far, dead ones among them.
create function berth_private.lane_entries_read() returns bigint language sql as $$
  select pg_catalog.pg_stat_get_xact_tuples_returned('berth_private.task_lane'::regclass)
$$;

-- Any lane of one level with tasks that wait, from a block of the table that chance picks; null: there was none.
create function berth_private.some_lane(p_queue text, p_priority smallint, out type text, out lane text) language plpgsql as $$
declare
  v_block bigint := floor(random() * pg_relation_size('berth_private.task') / current_setting('block_size')::integer);
begin
  select t.type, t.lane into some_lane.type, some_lane.lane
    from berth_private.task t
   where t.ctid = any (array(select format('(%s,%s)', v_block, i)::tid from generate_series(1, 30) as i))
     and t.queue = p_queue and t.priority = p_priority and t.state::text = 'ready' and t.lane is not null
   limit 1;
end $$;

-- The place behind all lanes that begin with these limits.
create function berth_private.behind(p_keys text[], p_weights integer[]) returns text language sql immutable as $$
  select string_agg(replace(replace(k.key, ' ', '%20'), '*', '%2A') || case when k.weight > 1 then '*' || k.weight else '' end,
                    ' ' order by k.number) || '!'
    from unnest(p_keys, p_weights) with ordinality as k (key, weight, number)
$$;
