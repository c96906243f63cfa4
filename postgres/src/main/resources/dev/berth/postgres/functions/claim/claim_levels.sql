-- Adds up to p_size tasks of the levels p_from down to p_to, which may start under their limits, to the basket.
create function berth_private.claim_levels(
  p_basket berth_private.basket, p_session bigint, p_queue text, p_from integer, p_to integer, p_types text[], p_size integer,
  p_left text[], p_now timestamptz, p_floors berth_private.lane_floor[], p_running bigint[]
) returns berth_private.basket language plpgsql as $$
declare
  v_known smallint[] := array(select f.priority from unnest(p_floors) as f where f.queue = p_queue);
  v_level smallint := p_from + 1;
  v_at    text[] := string_to_array(p_basket.cursor, E'\n');
  v_last  smallint := v_at[3];  -- where work was found last
  v_most  integer := cardinality(p_basket.ctids) + p_size;
  v_need  integer := p_size;
begin
  while p_size > 0 loop
    if v_need <= 0 then
      p_basket.more := true;
      exit;
    end if;
    -- The next level with work. Where some was found last there is more behind the cursor, most likely, and dead entries
    -- in front of it. A level with floors is looked at in any case: that is what tells whether there is work.
    v_level := case when v_known <> '{}' then (
      select l.level from generate_series(v_level - 1, p_to, -1) as l (level)
       where case when l.level = any (v_known) then true
                  else coalesce(
                    (select true from berth_private.task t
                      where l.level = v_last and t.queue = p_queue and t.priority = v_last
                        and (t.type, t.lane) > (v_at[1], v_at[2]) and t.state = 'ready' and t.lane is not null limit 1),
                    (select true from berth_private.task t
                      where t.queue = p_queue and t.priority = l.level::smallint
                        and t.state = 'ready' and t.lane is not null limit 1)) end
       limit 1)
    else coalesce(
      (select t.priority from berth_private.task t
        where t.queue = p_queue and t.priority < v_level and t.priority >= p_to and t.priority > v_last
          and t.state = 'ready' and t.lane is not null
        order by t.priority desc limit 1),
      (select v_last where v_last < v_level and v_last >= p_to and exists (
         select from berth_private.task t
          where t.queue = p_queue and t.priority = v_last and (t.type, t.lane) > (v_at[1], v_at[2])
            and t.state = 'ready' and t.lane is not null)),
      (select t.priority from berth_private.task t
        where t.queue = p_queue and t.priority < v_level and t.priority >= p_to
          and t.state = 'ready' and t.lane is not null
        order by t.priority desc limit 1)) end;
    exit when v_level is null;
    p_basket := berth_private.claim_lanes(
      p_basket, p_session, p_queue, v_level, p_types, v_need, p_left, p_now, p_floors, p_running);
    v_need := berth_private.still_wanted(v_most, p_basket);
  end loop;
  return p_basket;
end $$;
