-- Wake-ups on channel `berth`. They are hints; a lost one costs a poll.
--   ready <microseconds> <priority> <queue>   work is claimable, none of it placed before this position;
--                                             priority -1: any, -2: work under limits
--   due <microseconds> <queue>                work will be due after so long
--   step <microseconds> <queue>               steps were submitted at this time, which a sweep has to find
--   cancel <session>                          a task of this session shall stop
-- From 1970 to the year 9999, which is all that a client takes for a place.
create function berth_private.microseconds(p_time timestamptz) returns bigint language sql stable as $$
  select (extract(epoch from least(greatest(p_time, 'epoch'), '9999-12-31T00:00:00Z')) * 1000000)::bigint
$$;

create function berth_private.iso_time(p_time timestamptz) returns text language sql immutable as $$
  select to_char(p_time at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS')
         || case when extract(milliseconds from p_time)::bigint % 1000 = 0 then ''
                 else to_char(p_time at time zone 'UTC', '.MS') end || 'Z'
$$;
