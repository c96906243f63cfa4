-- Locks the session and logs the exchange: 'go', or 'lost' (no such session, or expired), or 'repeat' (number known).
create function berth_private.begin_exchange(
  p_session bigint, p_proof uuid, p_apart boolean, p_number bigint, p_now timestamptz,
  out verdict text, out worker text, out before timestamptz  -- when the exchange before it was
) language plpgsql as $$
declare
  v_session record;
  v_late    boolean;
begin
  -- Written as a range read backwards, so that the newest version of the row is met first: heartbeats leave one dead
  -- version each while vacuum is held back.
  select s.expires_at, s.worker into v_session from berth_private.session s
   where s.id between p_session and p_session and s.proof = p_proof order by s.id desc limit 1 for key share;
  if not found or v_session.expires_at <= p_now then
    verdict := 'lost';
    return;
  end if;
  worker := v_session.worker;
  insert into berth_private.exchange_log (session_id, apart, number, first_token, at)
  values (p_session, p_apart, p_number, nextval('berth_private.token'), p_now)
  on conflict do nothing;
  if not found then
    verdict := 'repeat';
    return;
  end if;
  -- The one before is forgotten; it is read backwards, so that it is met first, and the dead entries of all others lie
  -- behind it. And one that was on its way while its repeat and the next exchange went through must not take place: its
  -- claims would run nowhere. That is looked for after the insert, which waits for whoever is writing the same number.
  with forgotten as (
    delete from berth_private.exchange_log l
     where l.session_id = p_session and l.apart = p_apart
       and l.number = (select b.number from berth_private.exchange_log b
                        where b.session_id = p_session and b.apart = p_apart and b.number < p_number
                        order by b.number desc limit 1)
    returning l.at
  )
  select (select f.at from forgotten f),
         exists (select from berth_private.exchange_log l
                  where l.session_id = p_session and l.apart = p_apart and l.number > p_number)
    into before, v_late;
  if v_late then
    raise exception 'exchange % of session % is older than the last one', p_number, p_session
      using errcode = 'invalid_parameter_value';
  end if;
  verdict := 'go';
end $$;
