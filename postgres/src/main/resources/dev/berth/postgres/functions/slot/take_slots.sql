-- Slots: how tasks of lanes take them and give them back.
--
-- LOCKS. Slots are given back first, with waiting, in the order of their groups. Then others are taken, and whatever is
-- locked by somebody is passed over: who takes never waits, so nobody can wait for one who waits.

-- Locks tasks of these lanes, in their order, and takes slots for them, all or nothing for each task. p_locked: tasks that
-- this exchange has locked already, for it does not skip its own locks.
-- blocked: limits without any free slot. waits: those, and limits without enough for a heavy task.
create function berth_private.take_slots(
  p_queue text, p_priority smallint, p_lanes berth_private.lane_head[], p_size integer, p_locked tid[], p_left text[],
  p_now timestamptz,
  p_ahead integer[],  -- how many standbys to add to each slot of each lane; null: none,
  p_most integer,     --   and how many tasks with all standbys
  out ctids tid[], out held berth_private.holding[], out standbys tid[], out paced text[], out blocked text[], out waits text[],
    out again timestamptz,
  out reached text  -- the last lane from which a task may start, as type and lane
) language plpgsql as $$
declare
  v_keys   text[] := '{}';          -- the limits of all lanes;
  v_key    integer[] := '{}';       -- the needs of all lanes one after another: the place of the key,
  v_weight integer[] := '{}';       --   and how many slots of it;
  v_first  integer[] := '{1}';      --   where those of each lane begin
  v_head   berth_private.lane_head;
  v_limit  record;
  v_slots  integer[];               -- per key: how many slots the limit has, null: it does not limit,
  v_free   bigint[];                --   how many are free,
  v_paced  boolean[];               --   whether it is paced,
  v_want   bigint[];                --   how many slots the tasks at hand could take,
  v_next   integer[];               --   the first of its groups with room
  v_can    integer[] := '{}';       -- per lane: how many tasks could start,
  v_starts integer[];               --   and how many do
  v_spare  tid[] := '{}';           -- tasks that could not start after all,
  v_spares integer[] := '{}';       --   and their lanes
  v_most   bigint;
  v_i      integer;
  v_lane   integer;
  v_last   integer;
  v_tasks  record;
  v_seek   bigint[];                --   how many of them are to be found in rows that are there already
  v_group  integer[];               -- the groups that are locked, key by key: the place of the key,
  v_number integer[];               --   their number,
  v_places tid[];                   --   where their rows are,
  v_used   integer[];               --   how many slots of them others use,
  v_stored integer[];               --   what their rows say of it,
  v_full   integer[];               --   how many slots they had for us,
  v_room   integer[];               --   and how many of those they have left
  v_part   integer[];               -- what one task takes: group, slots, group, slots;
  v_hold   berth_private.slots_held[];      --   the same by name
  v_need   integer;
  v_at     integer;
  v_took   integer;
begin
  ctids := '{}';
  held := '{}';
  standbys := '{}';
  paced := '{}';
  blocked := '{}';
  waits := '{}';
  if exists (select from unnest(p_lanes) as l where l.single is not null) then
    select t.ctids, t.held, t.reached, t.rest into ctids, held, reached, p_lanes
      from berth_private.take_keys(p_lanes, p_size, p_left) t;
    p_size := p_size - cardinality(ctids);
    p_most := p_size;
    p_ahead := null;
    if p_lanes = '{}' then
      return;
    end if;
  end if;
  foreach v_head in array p_lanes loop
    for n in 1 .. cardinality(v_head.limits) loop
      v_i := array_position(v_keys, v_head.limits[n]);
      if v_i is null then
        v_keys := v_keys || v_head.limits[n];
        v_i := cardinality(v_keys);
      end if;
      v_key := v_key || v_i;
    end loop;
    v_weight := v_weight || v_head.weights;
    v_first := v_first || cardinality(v_key) + 1;
  end loop;

  -- What each limit allows, by a look without locks. One that an open transaction is just naming allows nothing yet.
  for v_look in 1 .. 2 loop
    select array_agg(n.slots order by k.place) as slots,
           array_agg(case when n.paused or n.slots = 0 or not n.known then 0 when n.slots is null then 2147483647
                          when n.pace is not null and (n.next_start_at > p_now or k.key = any (p_left)) then 0
                          else greatest(0, coalesce(g.free, n.slots) - cardinality(array_positions(p_left, k.key))) end
                     order by k.place) as free,
           array_agg(n.pace is not null order by k.place) as paced,
           array_agg(g.free is null order by k.place) as bare,  -- without a row
           min(case when not n.known then p_now + interval '1 second' else n.next_start_at end)
             filter (where not n.known or n.pace is not null and n.next_start_at > p_now) as again,
           bool_and(n.known) as known, bool_or(split_part(k.key, '/', 4) <> '') as keyed,
           coalesce(bool_or(o.reserved_until > p_now), false) as reserved
      into v_limit
      from unnest(v_keys) with ordinality as k (key, place)
      left join lateral (select * from berth_private.task_limit l where l.key = k.key) o on true
      left join lateral (select * from berth_private.task_limit l
                          where split_part(k.key, '/', 4) <> '' and l.key = berth_private.rule_of(k.key)) r on true
     cross join lateral (
       select case when split_part(k.key, '/', 4) = '' then o.slots else coalesce(o.override_slots, r.slots) end as slots,
              coalesce(o.paused, false) or coalesce(r.paused, false) as paused,
              coalesce(r.pace, o.pace) as pace, coalesce(r.next_start_at, o.next_start_at) as next_start_at,
              coalesce(r.submit_slots, r.code_slots, o.submit_slots, o.code_slots) is not null
                or coalesce(r.removed, o.removed, false) as known) n
      left join lateral (select sum(greatest(0, least(g.capacity, n.slots) - g.used)) as free
                           from berth_private.slot_group g where g.key = k.key) g on true;
    exit when v_limit.known or v_look = 2;
    perform berth_private.make_limits(p_lanes);
  end loop;
  v_slots := v_limit.slots;
  v_free := v_limit.free;
  again := v_limit.again;
  v_want := array_fill(0, array[cardinality(v_keys)]);
  v_paced := v_limit.paced;
  for v_lane in 1 .. cardinality(p_lanes) loop
    v_most := p_size;
    for n in v_first[v_lane] .. v_first[v_lane + 1] - 1 loop
      v_i := v_key[n];
      if v_paced[v_i] or v_slots[v_i] is null then  -- a start must not follow at once; or needs no slot
        p_ahead[v_lane] := 0;
      end if;
      v_most := least(v_most, case when v_paced[v_i] then least(v_free[v_i] / v_weight[n], 1)
                                   else v_free[v_i] / v_weight[n] end);
      if v_most = 0 then
        waits := waits || v_keys[v_i];
        if v_free[v_i] = 0 then
          blocked := blocked || v_keys[v_i];
        end if;
        if v_weight[n] > 1 then
          perform berth_private.reserve(p_lanes[v_lane].limits, p_lanes[v_lane].weights, n - v_first[v_lane] + 1,
            berth_private.line_of(
            p_queue, p_priority, p_lanes[v_lane].type, p_lanes[v_lane].lane), p_now);
        end if;
        exit;
      end if;
    end loop;
    v_can := v_can || v_most::integer;
  end loop;
  if v_limit.reserved then
    v_can := berth_private.leave_to_heavy(p_queue, p_priority, p_lanes, v_can, p_now);
  end if;
  if p_size = 0 or 0 = all (v_can) then
    return;
  end if;

  -- Tasks first: slots are only taken for what can start.
  if p_ahead is null or v_limit.reserved or 0 = all (p_ahead) then
    p_most := p_size;
    p_ahead := array_fill(0, array[cardinality(v_can)]);
  end if;
  select array_agg(w.ctid) filter (where w.place <= w.can) as ctids,
         array_agg(w.number) filter (where w.place <= w.can) as lanes,
         array_agg(w.ctid) filter (where w.place > w.can) as standbys,
         array_agg(w.number) filter (where w.place > w.can) as standby_lanes
    into v_tasks
    from (select n.ctid, l.number::integer as number, l.can, n.place
            from (select least(l.can, 1 + p_most / (1 + l.ahead)) as can, l.ahead, l.number
                    from unnest(v_can, p_ahead) with ordinality as l (can, ahead, number)) l
           cross join lateral (
             select n.ctid, row_number() over () as place
               from (select n.ctid from berth_private.task n
                      where n.queue = p_queue and n.priority = p_priority and n.type = p_lanes[l.number].type
                        and n.lane = p_lanes[l.number].lane and n.state = 'ready' and n.lane is not null
                        and n.position >= p_lanes[l.number].position and n.ctid <> all (p_locked)
                      order by n.position, n.id limit least(p_most, l.can * (1 + l.ahead))
                        for update skip locked) n) n
           where l.can > 0
           limit p_most) w;
  if v_tasks.ctids is null then
    return;
  end if;
  foreach v_lane in array v_tasks.lanes loop
    for n in v_first[v_lane] .. v_first[v_lane + 1] - 1 loop
      v_want[v_key[n]] := v_want[v_key[n]] + v_weight[n];
    end loop;
  end loop;

  -- The rows of keys that nobody uses yet, which begin with all that is wanted. Two who make the same one would have to
  -- wait: the second goes without.
  v_seek := v_want;
  if v_limit.keyed then
    with made as (
      insert into berth_private.slot_group as g (key, number, capacity, used)
      select k.key, 1, k.slots, least(k.want, k.slots)
        from unnest(v_keys, v_slots, v_want, v_limit.bare) as k (key, slots, want, bare)
       where k.want > 0 and k.slots > 0 and k.bare and split_part(k.key, '/', 4) <> ''
         and pg_try_advisory_xact_lock(19770525, hashtext(k.key))
      on conflict do nothing
      returning g.key, g.used, g.ctid
    )
    select array_agg(array_position(v_keys, m.key)), array_agg(1), array_agg(0), array_agg(m.used), array_agg(m.used),
      array_agg(m.ctid)
      into v_group, v_number, v_used, v_stored, v_room, v_places from made m;
    foreach v_i in array coalesce(v_group, '{}') loop
      v_seek[v_i] := 0;
    end loop;
  end if;

  -- Then as many groups with room as are wanted, beginning at a place of our own. The row of a key that was made while its
  -- rule was lowered may say more than the rule does: the lower number counts.
  if 0 < any (v_seek) then
    select v_group || array_agg(k.place::integer), v_number || array_agg(l.number), v_used || array_agg(l.used),
           v_stored || array_agg(l.used), v_room || array_agg(greatest(0, least(l.capacity, k.slots) - l.used)),
           v_places || array_agg(l.ctid)
      into v_group, v_number, v_used, v_stored, v_room, v_places
      from unnest(v_keys, v_seek, v_slots) with ordinality as k (key, want, slots, place)
     cross join lateral (
       select g.ctid as place,
              sum(g.capacity - g.used) over (order by (g.number + pg_backend_pid()) % 50, g.number)
                - (g.capacity - g.used) as before
         from berth_private.slot_group g
        where k.want > 0 and g.key = k.key and g.used < g.capacity) r
     cross join lateral (
       select g.number, g.used, g.capacity, g.ctid from berth_private.slot_group g
        where r.before < k.want and g.ctid = r.place and g.used < g.capacity
          for update skip locked) l;
  end if;
  v_full := v_room;
  v_next := array_fill(0, array[cardinality(v_keys)]);
  for n in reverse coalesce(cardinality(v_group), 0) .. 1 loop
    v_next[v_group[n]] := n;  -- its first group, for they come key by key
  end loop;

  -- Starts under a paced limit come one by one, whoever asks.
  for v_i in 1 .. cardinality(v_keys) loop
    if v_paced[v_i] and v_want[v_i] > 0 then
      perform from berth_private.task_limit l
        where l.key = berth_private.rule_of(v_keys[v_i]) and coalesce(l.next_start_at, '-infinity') <= p_now
          for update skip locked;
      v_free[v_i] := case when found then 1 else 0 end;
    end if;
  end loop;

  v_starts := array_fill(0, array[cardinality(p_lanes)]);
  for t in 1 .. cardinality(v_tasks.ctids) loop
    v_lane := v_tasks.lanes[t];
    if p_size = 0 then
      v_spare := v_spare || v_tasks.ctids[t];
      v_spares := v_spares || v_lane;
      continue;
    end if;
    v_part := '{}';
    v_hold := '{}';
    v_need := 0;
    for n in v_first[v_lane] .. v_first[v_lane + 1] - 1 loop
      v_i := v_key[n];
      v_need := case when v_paced[v_i] and v_free[v_i] = 0 then 1 when v_slots[v_i] is null then 0 else v_weight[n] end;
      exit when v_paced[v_i] and v_free[v_i] = 0;
      v_at := v_next[v_i];
      while v_need > 0 and v_group[v_at] = v_i loop
        if v_room[v_at] > 0 then
          v_took := least(v_need, v_room[v_at]);
          v_part := v_part || array[v_at, v_took];
          v_hold := v_hold || (v_keys[v_i], v_number[v_at], v_took)::berth_private.slots_held;
          v_room[v_at] := v_room[v_at] - v_took;
          v_need := v_need - v_took;
        end if;
        v_at := v_at + 1;
      end loop;
      exit when v_need > 0;
    end loop;
    if v_need = 0 then
      ctids := ctids || v_tasks.ctids[t];
      held := held || (v_hold, case when p_lanes[v_lane].single is not null
        then '-infinity'::timestamptz end)::berth_private.holding;
      v_last := v_lane;
      p_size := p_size - 1;
      v_starts[v_lane] := v_starts[v_lane] + 1;
      if v_limit.reserved then
        perform berth_private.end_reservation(p_lanes[v_lane].limits, berth_private.line_of(
          p_queue, p_priority, p_lanes[v_lane].type, p_lanes[v_lane].lane));
      end if;
      for n in v_first[v_lane] .. v_first[v_lane + 1] - 1 loop
        if v_paced[v_key[n]] then
          v_free[v_key[n]] := 0;
          paced := paced || berth_private.rule_of(v_keys[v_key[n]]);
        end if;
        while v_room[v_next[v_key[n]]] = 0 and v_group[v_next[v_key[n]] + 1] = v_key[n] loop
          v_next[v_key[n]] := v_next[v_key[n]] + 1;
        end loop;
      end loop;
    else  -- what it took of its other limits
      v_spare := v_spare || v_tasks.ctids[t];
      v_spares := v_spares || v_lane;
      for p in 1 .. cardinality(v_part) by 2 loop
        v_room[v_part[p]] := v_room[v_part[p]] + v_part[p + 1];
      end loop;
    end if;
  end loop;

  if v_last is not null then
    reached := p_lanes[v_last].type || E'\n' || p_lanes[v_last].lane;
  end if;

  -- Standbys go with the slots that were taken: the next ones of their lanes, so that none is passed over.
  if v_spare = '{}' then
    standbys := coalesce(v_tasks.standbys, '{}');
  elsif 0 < any (p_ahead) then
    standbys := array(
      select s.ctid
        from (select s.ctid, s.lane, row_number() over (partition by s.lane order by s.number) as place
                from unnest(v_spare || v_tasks.standbys, v_spares || v_tasks.standby_lanes) with ordinality as s (ctid, lane,
                  number)) s
       where s.place <= v_starts[s.lane] * p_ahead[s.lane]);
  end if;

  update berth_private.slot_group g set used = u.used + u.had - u.room
    from unnest(v_places, v_used, v_stored, v_full, v_room) as u (ctid, used, stored, had, room)
   where g.ctid = u.ctid and u.stored <> u.used + u.had - u.room;
  if v_limit.keyed then  -- a row was made for a key, and then nothing started
    delete from berth_private.slot_group g
     using unnest(v_places, v_used, v_full, v_room, v_group) as u (ctid, used, had, room, key)
     where g.ctid = u.ctid and u.used = 0 and u.had = u.room and split_part(v_keys[u.key], '/', 4) <> '';
  end if;
end $$;
