-- The short way for lanes of one task each under a key of its own, such as one import at a time for each customer. The row
-- of such a key comes with the task and goes with it; where there is none nobody uses the key. rest: keys in use, or with
-- anything special about them.
create function berth_private.take_keys(
  p_lanes berth_private.lane_head[], p_size integer, p_left text[],
  out ctids tid[], out held berth_private.holding[], out reached text, out rest berth_private.lane_head[]
) language plpgsql as $$
declare
  v_prefix text;
  v_slots  integer;
  v_own    boolean := exists (select from berth_private.task_limit l where split_part(l.key, '/', 4) <> '');
  v_last   bigint;
begin
  -- What is usual here: the rule of the first one.
  select r.key || '/', r.slots into v_prefix, v_slots
    from (select h.limits[1] as key from unnest(p_lanes) as h where h.single is not null limit 1) h
    join lateral (select * from berth_private.task_limit l where l.key = berth_private.rule_of(h.key)) r
      on r.slots > 0 and not r.paused and r.pace is null and coalesce(r.submit_slots, r.code_slots) is not null
   where split_part(h.key, '/', 4) <> '';
  with lane as materialized (
    select h.*, h.limits[1] as key,
           coalesce(h.single is not null and h.weights = '{1}' and starts_with(h.limits[1], v_prefix)
                    and h.limits[1] <> all (p_left) and o.key is null and g.key is null, false) as usual
      from unnest(p_lanes) with ordinality as h (type, lane, limits, weights, said_slots, position, single, number)
      left join lateral (  -- a limit, so that it is not asked at all where no key has a row of its own
        select l.key from berth_private.task_limit l where v_own and l.key = h.limits[1] limit 1) o on true
      left join lateral (select g.key from berth_private.slot_group g where g.key = h.limits[1] limit 1) g on true
  ), alone as materialized (
    select l.key, l.number, l.single
      from lane l
     where l.usual
       and pg_try_advisory_xact_lock(19770525, hashtext(l.key))  -- who makes the same row would wait: the second goes without
     limit p_size
  ), made as (
    insert into berth_private.slot_group as g (key, number, capacity, used) select a.key, 1, v_slots, 1 from alone a
    on conflict do nothing
    returning g.key
  ), taken as (
    select a.* from alone a where (a.key in (select m.key from made m)) is true  -- by a hash table, not a join
  )
  select coalesce((select array_agg(t.single) from taken t), '{}'),
         coalesce((select array_agg((array[(t.key, 1, 1)::berth_private.slots_held], '-infinity')::berth_private.holding)
           from taken t), '{}'),
         (select max(t.number) from taken t),
         coalesce((select array_agg((l.type, l.lane, l.limits, l.weights, l.said_slots, l.position,
           l.single)::berth_private.lane_head)
                     from lane l where not l.usual), '{}')
    into ctids, held, v_last, rest;
  if v_last is not null then
    reached := p_lanes[v_last].type || E'\n' || p_lanes[v_last].lane;
  end if;
end $$;
