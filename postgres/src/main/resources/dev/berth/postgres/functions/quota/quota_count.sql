-- Quotas: at most so many tasks pending or running under a key, checked at submit.
--
-- THE COUNT IS A ROW that the submit changes: whoever comes second waits for it, and in a REPEATABLE READ transaction
-- gets a serialisation error. Counting the tasks behind a lock would count them in a snapshot that is older than the
-- lock. So a quota is the one thing in a submit that locks a row others need, until the transaction ends.
--
-- A count changes only with the task row that names its quotas: up with the insert, down with the delete, in one
-- transaction. It is gone when it falls to 0. Tasks without quotas meet nothing of this.
--
-- GIVING BACK WAITS FOR NOBODY. A submit may keep its count locked for as long as its transaction is open. Who ends a task
-- meanwhile writes what it gives back into a row of its own, quota_return, and whoever locks the count next takes it off;
-- the sweep does so where nobody comes. So a count may be too high for a snapshot that does not see the row yet, never too
-- low: in a REPEATABLE READ transaction too, where a count that somebody else has written anew is an error.
--
-- LOCKS. Counts are locked by key. Who ends a task has its row and comes for the counts; so who has the counts and
-- wants to make room skips tasks that are locked.

-- Locks the count of a key, with 0 where there is none. Read as a range backwards: the newest version is met first,
-- whatever dead ones vacuum may not remove.
create function berth_private.lock_quota(p_key text, out count integer, out place tid) language plpgsql
  set jit = off set enable_seqscan = off as $$
begin
  loop
    select c.count, c.ctid into lock_quota.count, place from berth_private.quota_count c
     where c.key between p_key and p_key order by c.key desc limit 1 for update;
    exit when found;
    insert into berth_private.quota_count as c (key, count) values (p_key, 0)
    on conflict do nothing
    returning c.count, c.ctid into lock_quota.count, place;
    exit when found;
  end loop;
end $$;

-- The same if nobody else has it locked; else null.
create function berth_private.try_lock_quota(p_key text, out count integer, out place tid) language plpgsql
  set jit = off set enable_seqscan = off as $$
begin
  select c.count, c.ctid into try_lock_quota.count, place from berth_private.quota_count c
   where c.key between p_key and p_key order by c.key desc limit 1 for update skip locked;
end $$;

-- Writes a count that is locked, with what was given back meanwhile.
create function berth_private.write_quota(p_key text, p_count integer, p_place tid) returns void language plpgsql
  set jit = off set enable_seqscan = off as $$
declare
  v_count bigint;
begin
  with returned as (
    delete from berth_private.quota_return r where r.key = p_key returning r.count)
  select p_count - coalesce(sum(r.count), 0) into v_count from returned r;
  if v_count > 0 then
    update berth_private.quota_count c set count = v_count where c.ctid = p_place;
  else
    delete from berth_private.quota_count c where c.ctid = p_place;
  end if;
end $$;

-- These tasks are alive now. Whoever calls this has locked their counts, in the order of lock_quotas.
create function berth_private.enter_quotas(p_ids uuid[]) returns void
language plpgsql set jit = off set enable_seqscan = off as $$
declare
  v_keys  text[];
  v_key   text;
  v_by    integer;
  v_quota record;
begin
  with entered as (
    insert into berth_private.quota_task (task_id, key, submitted_at)
    select t.id, q.key, t.submitted_at
      from berth_private.task t
     cross join lateral unnest(t.quotas) as q (key)
     where t.id = any (p_ids)
    returning key)
  select array_agg(key) into v_keys from entered;
  for v_key, v_by in select k.key, count(*) from unnest(v_keys) as k (key) group by k.key loop
    v_quota := berth_private.lock_quota(v_key);
    perform berth_private.write_quota(v_key, v_quota.count + v_by, v_quota.place);
  end loop;
end $$;

-- These tasks have ended for good. Nobody is waited for, so in any order.
create function berth_private.leave_quotas(p_ids uuid[]) returns void
language plpgsql set jit = off set enable_seqscan = off as $$
declare
  v_keys  text[];
  v_key   text;
  v_by    integer;
  v_quota record;
begin
  with gone as (
    delete from berth_private.quota_task q where q.task_id = any (p_ids) returning q.key)
  select array_agg(key) into v_keys from gone;
  for v_key, v_by in select k.key, count(*) from unnest(v_keys) as k (key) group by k.key loop
    v_quota := berth_private.try_lock_quota(v_key);
    if v_quota.place is null then
      insert into berth_private.quota_return (key, count) values (v_key, v_by);
    else
      perform berth_private.write_quota(v_key, v_quota.count - v_by, v_quota.place);
    end if;
  end loop;
end $$;

create function berth_private.quota_counts(p_keys text[]) returns integer[]
language plpgsql set jit = off set enable_seqscan = off as $$
begin
  return array(select greatest(0, coalesce((select c.count from berth_private.quota_count c where c.key = k.key), 0)
                                  - coalesce((select sum(r.count) from berth_private.quota_return r where r.key = k.key), 0)
                             )::integer
                 from unnest(p_keys) with ordinality as k (key, number)
                order by k.number);
end $$;

-- Locks the counts of these keys, in their order, and returns them in the order of p_keys. Where the caller has set no
-- bound, it waits for half a minute: less than a client waits for an answer.
create function berth_private.lock_quotas(p_keys text[]) returns integer[] language plpgsql as $$
declare
  v_key     text;
  v_endless boolean := current_setting('lock_timeout') = '0';
begin
  if v_endless then
    perform set_config('lock_timeout', '30s', true);
  end if;
  for v_key in select distinct k.key from unnest(p_keys) as k (key) order by 1 loop
    perform berth_private.lock_quota(v_key);
  end loop;
  if v_endless then
    perform set_config('lock_timeout', '0', true);
  end if;
  return berth_private.quota_counts(p_keys);
end $$;

-- Takes off what was given back, if nobody has the count locked.
create function berth_private.settle_quota(p_key text) returns void language plpgsql as $$
declare
  v_quota record := berth_private.try_lock_quota(p_key);
begin
  if v_quota.place is not null then
    perform berth_private.write_quota(p_key, v_quota.count, v_quota.place);
  end if;
end $$;

-- The same for many, one look for each key, however many rows it has. Returns what went wrong, in sentences.
create function berth_private.settle_quotas() returns text[] language plpgsql set jit = off set enable_seqscan = off as $$
declare
  v_keys   text[];
  v_key    text;
  v_faults text[] := '{}';
begin
  v_keys := array(
    with recursive k as (
      (select r.key from berth_private.quota_return r order by r.key limit 1)
      union all
      select (select r.key from berth_private.quota_return r where r.key > k.key order by r.key limit 1)
        from k where k.key is not null)
    select k.key from k where k.key is not null limit 1000);
  begin
    perform berth_private.settle_quota(k) from unnest(v_keys) as k;
  exception when others then
    foreach v_key in array v_keys loop
      begin
        perform berth_private.settle_quota(v_key);
      exception when others then
        v_faults := v_faults || format('the quota %s could not be settled: %s', v_key, sqlerrm);
      end;
    end loop;
  end;
  return v_faults;
end $$;
