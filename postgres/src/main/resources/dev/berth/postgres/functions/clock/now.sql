-- The only clock. plpgsql, because a SQL function would be planned again on every call.
create function berth_private.now() returns timestamptz language plpgsql stable as $$
begin
  return clock_timestamp() + (select shift from berth_private.clock);
end $$;
