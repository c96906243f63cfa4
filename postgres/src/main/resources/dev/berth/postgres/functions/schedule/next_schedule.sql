-- For the sweep: whether any is due, and when the next one is that is not.
create function berth_private.next_schedule(out due boolean, out next_at timestamptz) language plpgsql stable
  set enable_seqscan = off set enable_bitmapscan = off set jit = off as $$
declare
  v_now timestamptz := berth_private.now();
begin
  due := exists (select from berth_private.schedule s where not s.paused and s.next_at <= v_now);
  select s.next_at into next_schedule.next_at from berth_private.schedule s
   where not s.paused and s.next_at > v_now order by s.next_at limit 1;
end $$;
