-- The same for a batch of tasks; all null if there is nothing to add. Looks once for each type, and makes each lane
-- once: a batch is of few types as a rule.
create function berth_private.add_type_limits(
  p_types text[], p_limits text[], p_weights text[], p_said_slots text[],
  out lanes text[], out limits text[], out weights text[], out said_slots text[]
) language plpgsql stable set plan_cache_mode = force_generic_plan as $$
declare
  v_types text[] := p_types;
  v_known record;
begin
  if cardinality(p_types) = 1 then  -- by far the most: quicker than to make arrays
    perform from berth_private.limits_of_type(p_types[1]) l where p_limits[1] is null or l.key <> all (p_limits[1]::text[]);
    if not found then
      return;
    end if;
  else
    v_types := array(select distinct t.type from unnest(p_types) as t (type));
  end if;
  select array_agg(y.type) as types, array_agg(l.key) as keys into v_known
    from unnest(v_types) as y (type) cross join lateral berth_private.limits_of_type(y.type) l;
  if v_known.types is null then
    return;
  end if;
  perform from unnest(p_types, p_limits) as s (type, limits)
          join unnest(v_known.types, v_known.keys) as l (type, key) on l.type = s.type
         where s.limits is null or l.key <> all (s.limits::text[])
         limit 1;
  if not found then
    return;
  end if;
  with said as materialized (
    select s.type, coalesce(s.limits, '{}') as limits, coalesce(s.weights, '{}') as weights,
           coalesce(s.said_slots, '{}') as said_slots, s.number
      from unnest(p_types, p_limits, p_weights, p_said_slots) with ordinality
        as s (type, limits, weights, said_slots, number)
  ), made as materialized (
    select d.type, d.limits as of_limits, d.weights as of_weights, d.said_slots as of_slots, n.*
      from (select distinct s.type, s.limits, s.weights, s.said_slots from said s) d
     cross join lateral berth_private.lane_of_type(
       d.type, d.limits::text[], d.weights::integer[], d.said_slots::integer[]) n
  )
  select array_agg(m.lane order by s.number), array_agg(m.limits::text order by s.number),
         array_agg(m.weights::text order by s.number), array_agg(m.said_slots::text order by s.number)
    into lanes, limits, weights, said_slots
    from said s
    join made m on m.type = s.type and m.of_limits = s.limits and m.of_weights = s.weights and m.of_slots = s.said_slots;
end $$;
