-- A task must fit into the index of its lane. The limit of its type is counted in any case: a person may put it under that.
create function berth_private.check_lane_bytes(p_type text, p_queue text, p_lane text) returns void
language plpgsql immutable as $$
declare
  v_bytes integer := octet_length(p_queue) + octet_length(p_type) + octet_length(p_lane)
                     + octet_length(berth_private.name_in_lane(berth_private.type_key(p_type), 1)) + 1;
begin
  if v_bytes > 2600 then
    raise exception 'A task of type "%" in queue "%" has too long names: its queue, type and limits take % bytes, at most 2600 '
                    'are allowed; its limits are %…', left(p_type, 40), left(p_queue, 40), v_bytes, left(p_lane, 200)
      using errcode = 'invalid_parameter_value';
  end if;
end $$;

-- A limit of another type could be used up, or made, with it.
create function berth_private.check_type_of_key(p_type text, p_key text) returns void language plpgsql immutable as $$
begin
  if starts_with(p_key, 'type/') and not starts_with(p_key || '/', berth_private.type_key(p_type) || '/') then
    raise exception 'A task of type % cannot be under the limit %, which is one of another type', p_type, p_key
      using errcode = 'invalid_parameter_value';
  end if;
end $$;

-- The limits that a client names, and the lane it has made of them: tasks of one lane are under the same limits.
create function berth_private.check_lane(
  p_type text, p_queue text, p_lane text, p_limits text[], p_weights integer[], p_slots integer[]
) returns void language plpgsql immutable as $$
begin
  if p_lane is null and p_limits is null and p_weights is null and p_slots is null then
    return;
  elsif p_lane is null or cardinality(p_limits) > 0 is not true or cardinality(p_weights) is distinct from cardinality(p_limits)
     or cardinality(p_slots) is distinct from cardinality(p_limits) then
    raise exception 'A task of type % is under % limits with % weights and % numbers of slots, in the lane %: these go together',
      p_type, coalesce(cardinality(p_limits), 0), coalesce(cardinality(p_weights), 0), coalesce(cardinality(p_slots), 0),
      coalesce(left(p_lane, 200), 'null') using errcode = 'invalid_parameter_value';
  end if;
  for i in 1 .. cardinality(p_limits) loop
    perform berth_private.check_key('limit', p_limits[i]);
    perform berth_private.check_type_of_key(p_type, p_limits[i]);
    perform berth_private.check_weight(p_limits[i], p_weights[i]);
    perform berth_private.check_slots(p_limits[i], p_slots[i]);
  end loop;
  if p_lane <> berth_private.lane_name(p_limits, p_weights) then
    raise exception 'The lane "%" is not that of the limits %', left(p_lane, 200), left(array_to_string(p_limits, ', '), 200)
      using errcode = 'invalid_parameter_value';
  end if;
  perform berth_private.check_lane_bytes(p_type, p_queue, p_lane);
end $$;
