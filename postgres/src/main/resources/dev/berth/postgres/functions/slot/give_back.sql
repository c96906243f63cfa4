-- Gives slots back, of any number of tasks.
create function berth_private.give_back(p_held berth_private.slots_held[]) returns void language plpgsql as $$
declare
  v_gone   text[];
  v_groups record;
  v_key    text;
  v_excess integer;
  v_group  record;
begin
  -- The row of a key goes with the last task that uses it.
  if exists (select from unnest(p_held) as u where split_part(u.key, '/', 4) <> '') then
    with gone as (
      delete from berth_private.slot_group g
       using (select u.key, u.number, sum(u.count) as count
                from unnest(p_held) as u where split_part(u.key, '/', 4) <> ''
               group by u.key, u.number order by u.key, u.number) h
       where g.key between h.key and h.key and g.number = h.number and g.used = h.count
      returning g.key || ' ' || g.number as name
    )
    select array_agg(g.name) into v_gone from gone g;
  end if;
  select array_agg(g.ctid) as ctids, array_agg(greatest(0, g.used - h.count)) as used
    into v_groups
    from (select u.key, u.number, sum(u.count)::integer as count
            from unnest(p_held) as u where (u.key || ' ' || u.number in (select unnest(v_gone))) is not true
           group by u.key, u.number order by u.key, u.number) h
   cross join lateral (
     select g.ctid, g.used from berth_private.slot_group g where g.key = h.key and g.number = h.number for update) g;
  update berth_private.slot_group g set used = u.used
    from unnest(v_groups.ctids, v_groups.used) as u (ctid, used)
   where g.ctid = u.ctid;

  -- A limit that drains: what comes back pays off the excess before it is free.
  for v_key, v_excess in
    select l.key, l.excess from berth_private.task_limit l
     where l.key in (select h.key from unnest(p_held) as h) and l.excess > 0 order by l.key for update
  loop
    for v_group in
      select g.number, g.capacity - g.used as room from berth_private.slot_group g
       where g.key = v_key and g.used < g.capacity and g.number in (select h.number from unnest(p_held) as h where h.key = v_key)
       order by g.number
    loop
      exit when v_excess = 0;
      update berth_private.slot_group g set capacity = g.capacity - least(v_group.room, v_excess)
       where g.key = v_key and g.number = v_group.number;
      v_excess := v_excess - least(v_group.room, v_excess);
    end loop;
    update berth_private.task_limit l set excess = v_excess where l.key = v_key;
    delete from berth_private.slot_group g where g.key = v_key and g.capacity = 0 and g.used = 0;
  end loop;
end $$;
