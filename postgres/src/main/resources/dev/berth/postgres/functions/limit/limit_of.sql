-- The number for a key, and whether it is paused, by itself or by its rule. slots null: no limit.
create function berth_private.limit_of(
  p_key text, out slots integer, out paused boolean, out stopped boolean, out pace interval, out next_start_at timestamptz
) language plpgsql stable as $$
declare
  v_own  berth_private.task_limit;
  v_rule berth_private.task_limit;
begin
  select * into v_own from berth_private.task_limit l where l.key = p_key;
  if split_part(p_key, '/', 4) <> '' then
    select * into v_rule from berth_private.task_limit l where l.key = berth_private.rule_of(p_key);
    slots := coalesce(v_own.override_slots, v_rule.slots);
    paused := coalesce(v_own.paused, false) or coalesce(v_rule.paused, false);
    pace := v_rule.pace;
    next_start_at := v_rule.next_start_at;
  else
    slots := v_own.slots;
    paused := coalesce(v_own.paused, false);
    pace := v_own.pace;
    next_start_at := v_own.next_start_at;
  end if;
  stopped := paused or slots = 0;
end $$;

-- Whether a limit has no free slot, by a look without locks.
create function berth_private.is_full(p_key text) returns boolean language plpgsql as $$
declare
  v_limit record := berth_private.limit_of(p_key);
begin
  return coalesce(v_limit.stopped, false)
      or v_limit.slots is not null and exists (select from berth_private.slot_group g where g.key = p_key)
         and not exists (select from berth_private.slot_group g where g.key = p_key and g.used < g.capacity);
end $$;
