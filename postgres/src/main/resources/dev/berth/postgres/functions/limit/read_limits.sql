-- The limits of a submit from SQL: keys ["limit/gpu"] whose numbers are known, or an object of numbers {"limit/gpu": 4},
-- of null where the number is known, or of {"slots": 4, "weight": 2} with one or both.
create function berth_private.read_limits(
  p_type text, p_limits jsonb, out keys text[], out weights integer[], out slots integer[]
) language plpgsql stable as $$
declare
  v_key    text;
  v_said   jsonb;
  v_slots  numeric;
  v_weight numeric;
begin
  if jsonb_typeof(p_limits) = 'array' and not jsonb_path_exists(p_limits, '$[*] ? (@.type() != "string")') then
    p_limits := coalesce((select jsonb_object_agg(k.key, null) from jsonb_array_elements_text(p_limits) as k (key)), '{}');
  end if;
  if jsonb_typeof(p_limits) <> 'object' then
    raise exception 'Limits are a list of keys, such as ["limit/gpu"], or an object, such as {"limit/gpu": 4} or '
                    '{"limit/gpu": {"slots": 4, "weight": 2}}'
      using errcode = 'invalid_parameter_value';
  end if;
  for v_key, v_said in select l.key, l.value from jsonb_each(p_limits) as l (key, value) loop
    perform berth_private.check_key('limit', v_key);
    perform berth_private.check_type_of_key(p_type, v_key);
    if jsonb_typeof(v_said) = 'number' then
      v_said := jsonb_build_object('slots', v_said);
    elsif jsonb_typeof(v_said) = 'null' then
      v_said := '{}';
    end if;
    if jsonb_typeof(v_said) <> 'object' or exists (
         select from jsonb_each(v_said) as s (name, value)
          where s.name not in ('slots', 'weight') or jsonb_typeof(s.value) <> 'number') then
      raise exception 'The limit % is said with a number of slots, null, or {"slots": 4, "weight": 2}, but it was %', v_key,
        v_said
        using errcode = 'invalid_parameter_value';
    end if;
    select coalesce(l.code_slots, l.submit_slots, l.override_slots) into v_slots
      from berth_private.task_limit l where l.key = berth_private.rule_of(v_key);
    select l.weight into v_weight from berth_private.type_limit l where l.type = p_type and l.key = v_key;
    v_slots := coalesce((v_said ->> 'slots')::numeric, v_slots);
    v_weight := coalesce((v_said ->> 'weight')::numeric, v_weight, 1);
    if v_slots is null then
      raise exception 'Nobody has said how many slots the limit % has: say it, as in {"%": 4}', v_key, v_key
        using errcode = 'invalid_parameter_value';
    elsif v_slots not between 0 and 1000000 or v_slots % 1 <> 0 then
      raise exception 'The limit % cannot have % slots: use 0 (blocks) to 1000000', v_key, v_slots
        using errcode = 'invalid_parameter_value';
    elsif v_weight not between 1 and 1000000 or v_weight % 1 <> 0 then
      raise exception 'A task cannot take % slots of the limit %: use 1 to 1000000', v_weight, v_key
        using errcode = 'invalid_parameter_value';
    end if;
    keys := keys || v_key;
    weights := weights || v_weight::integer;
    slots := slots || v_slots::integer;
  end loop;
end $$;

-- The lane of a submit from SQL. A task of a type that is limited for each value of something is refused without it.
create function berth_private.sql_lane(
  p_type text, p_limits jsonb, out lane text, out limits text[], out weights integer[], out said_slots integer[]
) language plpgsql stable as $$
declare
  v_said record;
  v_rule text;
begin
  select r.keys, r.weights, r.slots into v_said from berth_private.read_limits(p_type, coalesce(p_limits, '{}')) r;
  select l.key into v_rule
    from berth_private.type_limit l
   where l.type = p_type and berth_private.is_rule(l.key)
     and not exists (select from unnest(v_said.keys) as k where starts_with(k, l.key || '/'))
   order by l.key limit 1;
  if found then
    raise exception 'A task of type % needs a % for its limit %: name it, as in limits => ''["%/…"]''', p_type,
      berth_private.unescaped(split_part(v_rule, '/', 3)), v_rule, v_rule
      using errcode = 'invalid_parameter_value';
  end if;
  select n.lane, n.limits, n.weights, n.said_slots into lane, limits, weights, said_slots
    from berth_private.lane_of_type(p_type, v_said.keys, v_said.weights, v_said.slots) n;
end $$;
