create function berth_private.unset_limit(p_key text) returns text language plpgsql as $$
begin
  perform berth_private.lock_groups(array[p_key]);
  update berth_private.task_limit l
     set override_slots = null, override_until = null,
         -- Nobody has claimed under it yet: a waiting task may know its number.
         submit_slots = case when l.submit_slots is null and l.code_slots is null and not l.removed then (
           select n.slots from berth_private.task t, unnest(t.limits, t.said_slots) as n (key, slots)
            where t.lane is not null and n.key = p_key limit 1) else l.submit_slots end
   where l.key = p_key and l.override_slots is not null;
  if not found then
    return 'unchanged';
  end if;
  perform berth_private.change_limit(p_key);
  return 'done';
end $$;

-- Takes back what was set by hand until now. Returns what could not be, in sentences. After the first lock of somebody else no
-- other one is waited for.
create function berth_private.expire_overrides() returns text[] language plpgsql set lock_timeout = '200ms' as $$
declare
  v_key    text;
  v_faults text[] := '{}';
begin
  for v_key in
    select l.key from berth_private.task_limit l where l.override_until <= berth_private.now() order by l.key
  loop
    begin
      perform berth_private.unset_limit(v_key);
    exception when others then
      if sqlstate = '55P03' then
        perform set_config('lock_timeout', '1ms', true);
      end if;
      v_faults := v_faults || format('what was set by hand for the limit %s could not be taken back: %s', v_key, sqlerrm);
    end;
  end loop;
  return v_faults;
end $$;
