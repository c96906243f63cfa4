-- Fails ready tasks that no claim can read. For when a claim was refused: rows that somebody wrote by hand, or restored with
-- triggers off. Looks at ten thousand tasks after this id, in the order of ids, and tells which was the last; null: there are
-- no more. One that cannot even fail is put off for an hour, and counts with them; the error says why.
create function berth_private.fail_unreadable(
  p_queues text[], p_types text[], p_after uuid, out failed integer, out last uuid
) language plpgsql set enable_seqscan = off set enable_sort = off set jit = off as $$
declare
  v_after uuid := coalesce(p_after, '00000000-0000-0000-0000-000000000000');
  v_task  record;
begin
  failed := 0;
  for v_task in
    select t.id, berth_private.task_fault(t) as fault
      from (select t.* from berth_private.task t where t.id > v_after order by t.id limit 10000) t
     where t.state::text = 'ready' and (t.lane is not null or t.limits is not null or t.metadata is not null)
       and t.queue = any (p_queues) and t.type = any (p_types)
  loop
    continue when v_task.fault is null;
    perform from berth_private.task t where t.id = v_task.id and t.state::text = 'ready' for update skip locked;
    if found then
      begin
        begin
          perform berth_private.fail_task(v_task.id, 'no worker can read the task: ' || v_task.fault);
        exception
          when lock_not_available or transaction_rollback or insufficient_resources or operator_intervention then
            raise;  -- it can fail, but not now
          when others then
            update berth_private.task t
               set state = 'waiting', due_at = berth_private.now() + interval '1 hour',
                   last_error = format('no worker can read the task (%s), and it could not fail: %s', v_task.fault, sqlerrm)
             where t.id = v_task.id;
        end;
        failed := failed + 1;
      exception when others then  -- what is wrong with one keeps none of the others
        if sqlstate = '55P03' then
          perform set_config('lock_timeout', '1ms', true);
        end if;
      end;
    end if;
  end loop;
  select t.id into last from berth_private.task t where t.id > v_after order by t.id offset 9999 limit 1;
end $$;
