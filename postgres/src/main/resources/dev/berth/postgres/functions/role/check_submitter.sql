-- Refuses what the role that called a submit may not submit. The owner and its members may submit everything.
create function berth_private.check_submitter(
  p_caller name, p_types text[], p_queues text[], p_limits text[], p_quotas text[],
  p_when_full text[],  -- array literals, as all that belongs to limits and quotas
  p_said_slots text[]
) returns void language plpgsql stable as $$
begin
  if not exists (select from berth_private.role_grant g where g.types is not null or g.queues is not null)
     or pg_has_role(p_caller, (select n.nspowner from pg_namespace n where n.nspname = 'berth'), 'usage')
     or exists (
       select from berth_private.role_grant g
        where g.what = 'submit' and pg_has_role(p_caller, g.role, 'usage')
          and (g.types is null or p_types <@ g.types) and (g.queues is null or p_queues <@ g.queues)
          -- a limit of no slots may block others, and a full quota cancel them: not those of other types
          and (g.types is null or not exists (
                 select from (select unnest(l.keys::text[]), false from unnest(p_limits) as l (keys)
                              union all
                              select unnest(q.keys::text[]), true from unnest(p_quotas) as q (keys)) as k (key, quota)
                  where case when starts_with(k.key, 'type/')
                             then berth_private.unescaped(split_part(k.key, '/', 2)) <> all (g.types) else k.quota end))
          -- nor those in other queues, of whatever type
          and (g.queues is null
               or not exists (select from unnest(p_when_full) as w (words) where w.words::text[] && '{cancel,replace}')
                  and not exists (select from unnest(p_said_slots) as s (slots) where 0 = any (s.slots::integer[])))) then
    return;
  end if;
  raise exception 'Role % may not submit tasks of type % to queue %, or not under limits and quotas that others have too: '
                  'an administrator allows it with berth.allow_submit',
    p_caller, array_to_string(array(select distinct t from unnest(p_types) as t), ', '),
    array_to_string(array(select distinct q from unnest(p_queues) as q), ', ')
    using errcode = 'insufficient_privilege';
end $$;
