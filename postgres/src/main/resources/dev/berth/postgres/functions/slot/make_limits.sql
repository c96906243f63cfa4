-- A limit comes into being with its first task, in the claim and not in the submitter's transaction. An open transaction
-- that names the same one is not waited for: the caller finds it unknown then, and looks again later.
create function berth_private.make_limits(p_lanes berth_private.lane_head[]) returns void language plpgsql
  set lock_timeout = '50ms' as $$
declare
  v_limit record;
begin
  for v_limit in
    select distinct on (k.rule) k.rule, k.slots
      from unnest(p_lanes) as l
     cross join lateral (select berth_private.rule_of(n.key), n.slots
       from unnest(l.limits, l.said_slots) as n (key, slots)) k (rule, slots)
     where (select m.submit_slots is not null or m.removed from berth_private.task_limit m where m.key = k.rule) is not true
     order by k.rule
  loop
    begin
      if starts_with(v_limit.rule, 'topic/') then  -- its number and pace are not the submitter's
        perform berth_private.make_topic_limit(v_limit.rule);
        continue;
      end if;
      insert into berth_private.task_limit as l (key, submit_slots) values (v_limit.rule, v_limit.slots)
      on conflict (key) do update set submit_slots = excluded.submit_slots where l.submit_slots is null and not l.removed;
      if found then
        perform berth_private.settle_limit(v_limit.rule);
      end if;
    exception when lock_not_available then
      perform set_config('lock_timeout', '1ms', true);  -- so many may be named at once that their waits would add up
    end;
  end loop;
end $$;
