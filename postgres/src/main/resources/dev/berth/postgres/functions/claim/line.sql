-- How many more tasks to claim, of so many that may start besides those in the basket.
create function berth_private.still_wanted(p_size integer, p_basket berth_private.basket) returns integer
language sql immutable as $$
  select least(p_size - cardinality(p_basket.ctids), p_basket.room)
$$;

-- The next lower priority of a queue that has ready tasks (from the top if p_after is null), where they begin, and
-- whether tasks of other types stand among the first p_peek. priority null: there is none.
create function berth_private.next_level(
  p_queue text, p_after smallint, p_types text[], p_peek integer,
  out priority smallint, out floor timestamptz, out foreign_types boolean
) language plpgsql as $$
begin
  select t.priority, t.position into next_level.priority, next_level.floor
    from berth_private.task t
   where t.queue = p_queue and t.priority < coalesce(p_after, 10) and t.state = 'ready' and t.lane is null and t.priority >= 0
   order by t.priority desc, t.position, t.id
   limit 1;
  if found then
    select bool_or(w.type <> all (p_types)) into next_level.foreign_types
      from (select t.type
              from berth_private.task t
             where t.queue = p_queue and t.priority = next_level.priority and t.position >= next_level.floor
               and t.state = 'ready' and t.lane is null and t.priority >= 0
             order by t.position, t.id
             limit p_peek) w;
  end if;
end $$;

-- How many of these tasks, which are locked, may be claimed, in this order: no further one once those before it have p_bytes.
-- bytes: what they have together.
create function berth_private.fitting(p_ctids tid[], p_bytes bigint, out tasks integer, out bytes bigint) language plpgsql as $$
begin
  select count(*), sum(octet_length(t.payload) + coalesce(octet_length(t.metadata::text), 0)) into tasks, bytes
    from berth_private.task t where t.ctid = any (p_ctids);
  if bytes <= p_bytes then
    return;
  end if;
  select count(*), coalesce(sum(w.bytes), 0) into tasks, bytes
    from (select s.bytes, sum(s.bytes) over (order by c.number) - s.bytes as before
            from unnest(p_ctids) with ordinality as c (ctid, number)
           cross join lateral (
             select octet_length(t.payload) + coalesce(octet_length(t.metadata::text), 0) as bytes
               from berth_private.task t where t.ctid = c.ctid) s) w
   where w.before < p_bytes;
end $$;

-- Locks up to p_size ready tasks of one line, in its order, and tells which, where they are, from where to go on, and
-- whether to hop next time. Plain takes a bounded number of rows, whatever they are: one of another type is let go,
-- unclaimed, and what is missing is taken by hop, but for what is locked already. Of those that are locked no further one
-- is claimed once the ones before it have p_bytes.
create function berth_private.lock_line(
  p_queue text, p_priority smallint, p_floor timestamptz, p_hop boolean, p_types text[], p_size integer, p_bytes bigint,
  p_now timestamptz, p_locked uuid[],
  out ids uuid[], out ctids tid[], out bytes bigint, out floor timestamptz, out foreign_types boolean
) language plpgsql as $$
declare
  v_floor timestamptz := coalesce(p_floor, '-infinity');
  v_count integer;
  v_rest  record;
begin
  if p_hop then
    select array_agg(l.id), array_agg(l.ctid), sum(l.bytes), max(l.position), count(*), true
      into ids, ctids, bytes, floor, v_count, foreign_types
      from (select t.id, t.ctid, octet_length(t.payload) + coalesce(octet_length(t.metadata::text), 0) as bytes, t.position
              from (select h.ctid, h.position, h.id
                      from unnest(p_types) as y (type)
                     cross join lateral (
                       select ctid, position, id
                         from berth_private.task
                        where queue = p_queue and priority = p_priority and type = y.type and position >= v_floor
                          and id <> all (p_locked) and state = 'ready' and lane is null and priority <= 9
                        order by position, id
                        limit 2 * p_size + 32) h  -- room for rows that other claimers have locked
                     order by h.position, h.id) w
              join berth_private.task t on t.ctid = w.ctid
             where t.state::text = 'ready'  -- as text: the partial indexes are no way to a ctid
             order by w.position, w.id
             limit p_size
               for update of t skip locked) l;
  else
    select array_agg(l.id) filter (where l.ours), array_agg(l.ctid) filter (where l.ours), sum(l.bytes) filter (where l.ours),
           max(l.position), count(*), not coalesce(bool_and(l.ours), true)
      into ids, ctids, bytes, floor, v_count, foreign_types
      from (select id, ctid, octet_length(payload) + coalesce(octet_length(metadata::text), 0) as bytes, position,
                   type = any (p_types) as ours
              from berth_private.task
             where queue = p_queue and priority = p_priority and position >= v_floor
               and state = 'ready' and lane is null and priority >= 0
             order by position, id
             limit p_size
               for update skip locked) l;
    if foreign_types and coalesce(bytes, 0) < p_bytes then
      select r.ids, r.ctids, r.bytes, r.floor into v_rest
        from berth_private.lock_line(
               p_queue, p_priority, v_floor, true, p_types, p_size - coalesce(cardinality(ids), 0),
               p_bytes - coalesce(bytes, 0), p_now, coalesce(ids, '{}')) r;
      ids := ids || v_rest.ids;
      ctids := ctids || v_rest.ctids;
      bytes := coalesce(bytes, 0) + v_rest.bytes;
      floor := v_rest.floor;
      return;
    end if;
  end if;
  bytes := coalesce(bytes, 0);
  if bytes > p_bytes then
    v_rest := berth_private.fitting(ctids, p_bytes);
    if v_rest.tasks < cardinality(ctids) then
      ids := ids[: v_rest.tasks];
      ctids := ctids[: v_rest.tasks];
      bytes := v_rest.bytes;
      floor := (select max(t.position) from berth_private.task t where t.ctid = any (ctids));
      v_count := p_size;
    end if;
  end if;
  -- Fewer than asked for: the end was seen, whatever comes now is younger than this moment.
  if v_count < p_size then
    floor := p_now;
  end if;
  floor := least(floor, p_now - interval '100 milliseconds');
end $$;
