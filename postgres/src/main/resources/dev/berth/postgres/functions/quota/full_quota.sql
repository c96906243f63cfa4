-- The first of these quotas that has no room for one more, null if all have. Their counts stay locked.
create function berth_private.full_quota(p_keys text[], p_mosts integer[]) returns text language plpgsql as $$
declare
  v_full text;
begin
  select k.key into v_full
    from unnest(p_keys, p_mosts, berth_private.lock_quotas(p_keys)) with ordinality as k (key, most, count, number)
   where k.count >= k.most order by k.number limit 1;
  delete from berth_private.quota_count c where c.key = any (p_keys) and c.count = 0 and v_full is not null;
  return v_full;
end $$;

-- The task that is there instead of one that this quota keeps out, if it is to be the answer; else an error.
create function berth_private.instead(p_key text, p_task uuid, p_keys text[], p_mosts integer[], p_when_full text[])
returns uuid language plpgsql as $$
declare
  v_number integer := array_position(p_keys, p_key);
begin
  if p_when_full[v_number] = 'existing' and p_task is not null then
    return p_task;
  end if;
  raise exception 'The quota % is %: the task was not submitted', p_key,
    case p_mosts[v_number] when 0 then '0' else 'full (' || p_mosts[v_number] || ' pending or running)' end
    using errcode = 'configuration_limit_exceeded';
end $$;
