-- A step that has ended is about to live again: it is nothing of the past any more. Its place in the order, which is the
-- last where its workflow is forgotten.
create function berth_private.revive_step(
  p_workflow text, p_step text, out number bigint, out on_failure berth_private.on_failure
) language plpgsql as $$
begin
  if p_workflow is null then
    return;
  end if;
  perform berth_private.lock_workflows(array[p_workflow]);
  delete from berth_private.workflow_step s where s.workflow = p_workflow and s.step = p_step
  returning s.number, s.on_failure into revive_step.number, revive_step.on_failure;
  number := coalesce(number, nextval('berth_private.step_number'));
  on_failure := coalesce(nullif(on_failure, 'skip'), 'halt');
  update berth_private.workflow w set cancelled = null where w.name = p_workflow and w.cancelled is not null;
end $$;
