-- The last day to keep an attempt that ended at p_ended_at.
create function berth_private.keep_until(p_ended_at timestamptz, p_days integer) returns date language sql immutable as $$
  select (p_ended_at at time zone 'UTC')::date + p_days
$$;

-- How many days the type wants an attempt with this outcome kept; 0: not at all.
create function berth_private.keep_days(p_type text, p_outcome berth_private.outcome) returns integer
language plpgsql stable as $$
declare
  v_type berth_private.task_type;
begin
  select * into v_type from berth_private.task_type y where y.name = p_type;
  return case when p_outcome in ('finished', 'cancelled')
              then coalesce(v_type.finished_days, 7) else coalesce(v_type.failed_days, 30) end;
end $$;
