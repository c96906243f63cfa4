-- Limits of types: what all tasks of a type are under, whoever submits them.
--
-- A submit names the limits of its task. Whoever does not know those of the type, such as SQL or an older version of the
-- code, would be a way around them. So a submit looks here and adds what is missing: a read of a small table, no lock.

-- The name of a lane: a space ends a key and a star begins its weight, so neither stands for itself in a key.
create function berth_private.name_in_lane(p_key text, p_weight integer) returns text language sql immutable as $$
  select replace(replace(p_key, ' ', '%20'), '*', '%2A') || case when p_weight > 1 then '*' || p_weight else '' end
$$;

create function berth_private.lane_name(p_keys text[], p_weights integer[]) returns text language plpgsql immutable strict as $$
declare
  v_name text := berth_private.name_in_lane(p_keys[1], p_weights[1]);
begin
  for i in 2 .. cardinality(p_keys) loop
    v_name := v_name || ' ' || berth_private.name_in_lane(p_keys[i], p_weights[i]);
  end loop;
  return v_name;
end $$;

-- The lane of a task under these limits, written as the client writes it: from the most to the least shared.
create function berth_private.lane_of(
  p_keys text[], p_weights integer[], p_slots integer[],
  out lane text, out limits text[], out weights integer[], out said_slots integer[]
) language sql immutable as $$
  select string_agg(k.name, ' ' order by k.rank, k.key), array_agg(k.key order by k.rank, k.key),
         array_agg(k.weight order by k.rank, k.key), array_agg(k.slots order by k.rank, k.key)
    from (select u.key collate "C" as key, u.weight, u.slots,
                 case when starts_with(u.key, 'limit/') then 0 else cardinality(string_to_array(u.key, '/')) end as rank,
                 berth_private.name_in_lane(u.key, u.weight) as name
            from unnest(p_keys, p_weights, p_slots) as u (key, weight, slots)) k
$$;

-- The limits that every task of a type is under; not one of many keys, whose value only the submitter knows.
create function berth_private.limits_of_type(p_type text) returns table (key text, weight integer, slots integer)
language sql stable as $$
  select l.key, l.weight, l.slots from berth_private.type_limit l where l.type = p_type and not berth_private.is_rule(l.key)
  union all
  select l.key, 1, coalesce(l.override_slots, 1000000)
    from berth_private.task_limit l
   where l.key = berth_private.type_key(p_type) and (l.override_slots is not null or l.paused)
     and not exists (select from berth_private.type_limit y where y.type = p_type and y.key = l.key)
$$;

-- The lane of a task of this type that names these limits, with those of its type that it does not name.
create function berth_private.lane_of_type(
  p_type text, p_keys text[], p_weights integer[], p_slots integer[],
  out lane text, out limits text[], out weights integer[], out said_slots integer[]
) language sql stable as $$
  select n.lane, n.limits, n.weights, n.said_slots
    from (select array_agg(l.key) as keys, array_agg(l.weight) as weights, array_agg(l.slots) as slots
            from berth_private.limits_of_type(p_type) l where p_keys is null or l.key <> all (p_keys)) m
   cross join lateral berth_private.lane_of(p_keys || m.keys, p_weights || m.weights, p_slots || m.slots) n
$$;
