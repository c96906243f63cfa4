-- How far a workflow is, and the step that is next or runs or, where it cannot go on, is the cause.
create function berth_private.workflow_turn(p_workflow text, out state text, out step text) language plpgsql stable
  set enable_seqscan = off set jit = off as $$
declare
  v_turn  text;
  v_head  record;
  v_block record;
begin
  select t.step into v_turn from berth_private.task t where t.workflow = p_workflow and t.state <> 'held';
  select t.step, t.step_number into v_head from berth_private.task t where t.workflow = p_workflow order by t.step_number limit 1;
  select b.step, b.blocks into v_block from berth_private.workflow_step b
   where b.workflow = p_workflow and b.blocks is not null
     and b.number < coalesce(v_head.step_number, 9223372036854775807)
   order by b.number limit 1;
  step := coalesce(v_turn, v_block.step, v_head.step);
  state := case when exists (select from berth_private.workflow w where w.name = p_workflow and w.cancelled is not null)
                then 'CANCELLED'
                when v_turn is not null then 'RUNNING'
                when v_block.blocks = 'halt' then 'HALTED'
                when v_block.blocks = 'cancel_rest' then 'FAILED'
                when v_head.step is not null then 'RUNNING'
                else 'FINISHED' end;
end $$;

-- How many steps are in which state.
create function berth_private.count_steps(
  p_workflow text, out pending bigint, out running bigint, out retrying bigint, out finished bigint, out failed bigint,
  out cancelled bigint
) language plpgsql stable set enable_seqscan = off set jit = off as $$
begin
  select count(*) filter (where (t.state <> 'running' or t.standby) and t.failures <= 0 and t.crashes <= 0),
         count(*) filter (where t.state = 'running' and not t.standby),
         count(*) filter (where (t.state <> 'running' or t.standby) and (t.failures > 0 or t.crashes > 0))
    into pending, running, retrying
    from berth_private.task t where t.workflow = p_workflow;
  select count(*) filter (where s.outcome = 'finished'),
         count(*) filter (where s.outcome in ('failed', 'crashed')),
         count(*) filter (where s.outcome = 'cancelled')
    into finished, failed, cancelled
    from berth_private.workflow_step s where s.workflow = p_workflow;
end $$;
