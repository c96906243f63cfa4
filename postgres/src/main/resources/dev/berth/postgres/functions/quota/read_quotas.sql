-- The quotas of a submit from SQL, in the order in which they decide: {"type/backup": 5, "type/backup/db/sales": 2}, of null
-- where workers have said the number, and those that they have said of the type. Keys as those of limits. A task of a type
-- that has a quota for each value of something is refused without it. What is named with a number refuses when it is full;
-- the others do as the type says, but that none stops a running task: the error of the submit would take that back.
create function berth_private.read_quotas(
  p_type text, p_quotas jsonb, out keys text[], out mosts integer[], out when_full text[]
) language plpgsql stable as $$
declare
  v_key  text;
  v_most jsonb;
  v_rule berth_private.type_quota;
begin
  if p_quotas is null and not exists (select from berth_private.type_quota q where q.type = p_type) then
    return;
  end if;
  if jsonb_typeof(p_quotas) <> 'object' then
    raise exception 'Quotas are an object of numbers, such as {"type/backup": 5}' using errcode = 'invalid_parameter_value';
  end if;
  for v_key, v_most in select q.key, q.value from jsonb_each(p_quotas) as q (key, value) loop
    perform berth_private.check_key('quota', v_key);
    select * into v_rule from berth_private.type_quota q where q.type = p_type and q.key = berth_private.rule_of(v_key);
    if v_most <> 'null' then
      v_rule.when_full := 'refuse';
    elsif found then
      v_most := to_jsonb(v_rule.most);
    end if;
    if jsonb_typeof(v_most) <> 'number' or v_most::numeric not between 0 and 1000000 or v_most::numeric % 1 <> 0 then
      raise exception 'The quota % cannot be %: use 0 (refuses all) to 1000000', v_key, v_most
        using errcode = 'invalid_parameter_value';
    end if;
    keys := keys || v_key;
    mosts := mosts || v_most::integer;
    when_full := when_full || v_rule.when_full;
  end loop;
  for v_rule in select * from berth_private.type_quota q where q.type = p_type order by q.key loop
    if berth_private.is_rule(v_rule.key) then
      continue when exists (select from unnest(keys) as k where starts_with(k, v_rule.key || '/'));
      raise exception 'A task of type % needs a % for its quota %: name it, as in quotas => ''{"%/…": null}''', p_type,
        berth_private.unescaped(split_part(v_rule.key, '/', 3)), v_rule.key, v_rule.key
        using errcode = 'invalid_parameter_value';
    elsif v_rule.key <> all (coalesce(keys, '{}')) then
      keys := keys || v_rule.key;
      mosts := mosts || v_rule.most;
      when_full := when_full || v_rule.when_full;
    end if;
  end loop;
  select array_agg(q.key order by q.rank, q.key desc), array_agg(q.most order by q.rank, q.key desc),
         array_agg(case q.what when 'cancel' then 'refuse' else q.what end order by q.rank, q.key desc)
    into keys, mosts, when_full
    from (select k.key, k.most, k.what, array_position(array['refuse', 'existing', 'cancel', 'replace'], k.what) as rank
            from unnest(keys, mosts, when_full) as k (key, most, what)) q;
end $$;
