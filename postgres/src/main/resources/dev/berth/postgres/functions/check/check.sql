-- What is accepted, in the words of the Java client. It is as strict as that, or workers could not read what SQL has let in;
-- and small enough for every index: an entry of a b-tree has 2704 bytes at most. A row that is in none yet would be taken
-- and fail later, in somebody else's hands.

create function berth_private.check_name(p_what text, p_name text) returns void language plpgsql immutable as $$
begin
  if p_name is null or p_name ~ '^[[:space:]\u1680\u2000-\u200a\u2028\u2029\u205f\u3000]*$' then
    raise exception 'A % needs a name, but it was blank', p_what using errcode = 'invalid_parameter_value';
  elsif length(p_name) > 200 then
    raise exception 'The % name "%…" has % characters; at most 200 are allowed', p_what, left(p_name, 40), length(p_name)
      using errcode = 'invalid_parameter_value';
  elsif p_name ~ '[\u0001-\u001f\u007f-\u009f]' then
    raise exception 'The % name "%" contains a control character', p_what,
      regexp_replace(p_name, '[\u0001-\u001f\u007f-\u009f]', '?', 'g')
      using errcode = 'invalid_parameter_value';
  end if;
end $$;

create function berth_private.check_names(p_what text, p_names text[]) returns void language plpgsql immutable as $$
begin
  perform berth_private.check_name(p_what, n.name) from (select distinct unnest(p_names)) as n (name);
end $$;

-- The latest instant is that of the Java client. Any in the past means at once.
create function berth_private.check_due(p_due_at timestamptz) returns void language plpgsql immutable as $$
begin
  if p_due_at > '9999-12-31T00:00:00Z' then
    raise exception 'A task can be due until 9999-12-31T00:00:00Z, but not at %', p_due_at
      using errcode = 'invalid_parameter_value';
  end if;
end $$;

-- A thousand years: it can be added to any time.
create function berth_private.check_positive_span(p_what text, p_span interval) returns void language plpgsql immutable as $$
begin
  if p_span is null or p_span <= interval '0' or p_span > interval '365000 days' then
    raise exception '% must be longer than zero and at most 365000 days, not %', p_what, coalesce(p_span::text, 'null')
      using errcode = 'invalid_parameter_value';
  end if;
end $$;

-- In microseconds.
create function berth_private.check_delay(p_what text, p_delay bigint) returns void language plpgsql immutable as $$
begin
  if p_delay not between 0 and 31536000000000000 then
    raise exception '% can be zero to 365000 days, not % microseconds', p_what, p_delay using errcode = 'invalid_parameter_value';
  end if;
end $$;

-- In microseconds. A day, as that of a topic.
create function berth_private.check_pace(p_key text, p_pace bigint) returns void language plpgsql immutable as $$
begin
  if p_pace not between 0 and 86400000000 then
    raise exception 'The pace of the limit % can be zero to 1 day, not % microseconds', p_key, p_pace
      using errcode = 'invalid_parameter_value';
  end if;
end $$;

-- Metadata as key, value, key, value.
create function berth_private.check_pairs(p_pairs text[]) returns void language plpgsql immutable as $$
begin
  if cardinality(p_pairs) % 2 = 1 or array_position(p_pairs, null) is not null then
    raise exception 'The metadata of a task is a list of key, value, key, value, without a null'
      using errcode = 'invalid_parameter_value';
  end if;
end $$;

-- What the Java client checks before it submits, in the same words.
create function berth_private.check_submit(
  p_type text, p_payload jsonb, p_queue text, p_priority integer, p_due_at timestamptz, p_metadata jsonb
) returns void language plpgsql immutable as $$
begin
  perform berth_private.check_name('task type', p_type);
  perform berth_private.check_name('queue', p_queue);
  perform berth_private.check_due(p_due_at);
  if p_payload is null then
    raise exception 'A task of type % needs a payload', p_type using errcode = 'invalid_parameter_value';
  end if;
  if p_priority is null or p_priority not between 0 and 9 then
    raise exception 'Priority % is out of range: use 0 (last) to 9 (first)', coalesce(p_priority::text, 'null')
      using errcode = 'invalid_parameter_value';
  end if;
  -- What a worker could not read would stand in the way of every claim.
  if jsonb_typeof(p_metadata) <> 'object'
     or jsonb_path_exists(p_metadata, '$.* ? (@.type() != "string")') then
    raise exception 'The metadata of a task is an object of texts, such as {"tenant": "a"}'
      using errcode = 'invalid_parameter_value';
  end if;
end $$;

-- The key of a topic or a schedule, whose name has more characters than a name may have.
create function berth_private.has_long_name(p_key text) returns boolean language sql immutable as $$
  select length(p_key) > 206 and split_part(p_key, '/', 1) in ('topic', 'schedule')
         and length(replace(replace(split_part(p_key, '/', 2), '%2F', '/'), '%25', '%')) > 200
$$;

-- Whether a worker can read it: the key of a limit, a rule or a quota.
create function berth_private.is_key(p_key text) returns boolean language sql immutable as $$
  select length(p_key) <= 500 and octet_length(p_key) <= 1500 and not berth_private.has_long_name(p_key)
         and p_key ~ '^((limit|topic|schedule)/[^/]+|type(/[^/]+){1,3})$'
         and p_key !~ '%(?!25|2F)|[\u0001-\u001f\u007f-\u009f]|/[[:space:]\u1680\u2000-\u200a\u2028\u2029\u205f\u3000]*(/|$)'
$$;

-- p_what: limit or quota.
create function berth_private.check_any_key(p_what text, p_key text) returns void language plpgsql immutable as $$
begin
  if octet_length(p_key) > 1500 or length(p_key) > 500 then
    raise exception 'The % key "%…" has % characters, which take % bytes; at most 500 and 1500 are allowed', p_what,
      left(p_key, 60), length(p_key), octet_length(p_key)
      using errcode = 'invalid_parameter_value';
  elsif berth_private.has_long_name(p_key) then
    raise exception 'The % key "%…" is not allowed: the name of a topic or a schedule has at most 200 characters', p_what,
      left(p_key, 60) using errcode = 'invalid_parameter_value';
  elsif berth_private.is_key(p_key) is not true then
    raise exception '"%" is not the key of a %: expected limit/NAME, topic/NAME, schedule/NAME, type/TYPE or '
                    'type/TYPE/NAME/VALUE, with %%25 for a percent sign and %%2F for a slash', left(p_key, 100), p_what
      using errcode = 'invalid_parameter_value';
  end if;
end $$;

-- The same for what a submit may name: not the rule of many keys, and not the key of a schedule, which has its own tasks.
create function berth_private.check_key(p_what text, p_key text) returns void language plpgsql immutable as $$
begin
  perform berth_private.check_any_key(p_what, p_key);
  if p_key ~ '^(schedule/|type/[^/]+/[^/]+$)' then
    raise exception '"%" is not the key of a %: it is that of %', p_key, p_what,
      case when starts_with(p_key, 'schedule/') then 'a schedule' else 'many, such as ' || p_key || '/VALUE' end
      using errcode = 'invalid_parameter_value';
  end if;
end $$;

create function berth_private.check_slots(p_key text, p_slots integer) returns void language plpgsql immutable as $$
begin
  if p_slots is null or p_slots not between 0 and 1000000 then
    raise exception 'The limit % cannot have % slots: use 0 (blocks) to 1000000', p_key, coalesce(p_slots::text, 'null')
      using errcode = 'invalid_parameter_value';
  end if;
end $$;

create function berth_private.check_weight(p_key text, p_weight integer) returns void language plpgsql immutable as $$
begin
  if p_weight is null or p_weight not between 1 and 1000000 then
    raise exception 'A task cannot take % slots of the limit %: use 1 to 1000000', coalesce(p_weight::text, 'null'), p_key
      using errcode = 'invalid_parameter_value';
  end if;
end $$;

create function berth_private.check_quotas(p_keys text[], p_mosts integer[], p_when_full text[]) returns void
language plpgsql immutable as $$
begin
  if cardinality(p_mosts) is distinct from cardinality(p_keys)
     or cardinality(p_when_full) is distinct from cardinality(p_keys) then
    raise exception 'The quotas % come with % numbers and % words for when they are full: each needs both',
      array_to_string(p_keys, ', '), coalesce(cardinality(p_mosts), 0), coalesce(cardinality(p_when_full), 0)
      using errcode = 'invalid_parameter_value';
  end if;
  for i in 1 .. coalesce(cardinality(p_keys), 0) loop
    perform berth_private.check_any_key('quota', p_keys[i]);
    if p_mosts[i] is null or p_mosts[i] not between 0 and 1000000 then
      raise exception 'The quota % cannot be %: use 0 (refuses all) to 1000000', p_keys[i], coalesce(p_mosts[i]::text, 'null')
        using errcode = 'invalid_parameter_value';
    elsif p_when_full[i] is null or p_when_full[i] not in ('refuse', 'existing', 'cancel', 'replace') then
      raise exception 'When the quota % is full a submit can refuse, existing, cancel or replace, not "%"', p_keys[i],
        coalesce(p_when_full[i], 'null') using errcode = 'invalid_parameter_value';
    end if;
  end loop;
end $$;

-- What one task may be counted under: each key has a row and a lock.
create function berth_private.check_quota_keys(p_type text, p_keys text[]) returns void language plpgsql immutable as $$
begin
  if cardinality(p_keys) > 20 then
    raise exception 'A task of type "%" is under % quotas; at most 20 are allowed', left(p_type, 40), cardinality(p_keys)
      using errcode = 'invalid_parameter_value';
  elsif octet_length(array_to_string(p_keys, '')) > 2600 then
    raise exception 'A task of type "%" has too long keys of quotas: they take % bytes, at most 2600 are allowed',
      left(p_type, 40), octet_length(array_to_string(p_keys, '')) using errcode = 'invalid_parameter_value';
  end if;
end $$;

create function berth_private.check_step(p_workflow text, p_step text, p_on_failure text) returns void
language plpgsql immutable as $$
begin
  perform berth_private.check_name('workflow', p_workflow);
  perform berth_private.check_name('step', p_step);
  if p_on_failure is null or p_on_failure not in ('halt', 'continue', 'cancel_rest') then
    raise exception 'What a failed step does to those after it is halt, continue or cancel_rest, not %',
      coalesce(p_on_failure, 'null') using errcode = 'invalid_parameter_value';
  end if;
end $$;

-- How long a type is kept: ten years at most, for each day has a partition.
create function berth_private.check_days(p_type text, p_finished integer, p_failed integer) returns void
language plpgsql immutable as $$
begin
  if (p_finished between 0 and 3650 and p_failed between 0 and 3650) is not true then
    raise exception 'The history of type % cannot be kept for % and % days: use 0 to 3650', p_type,
      coalesce(p_finished::text, 'null'), coalesce(p_failed::text, 'null') using errcode = 'invalid_parameter_value';
  end if;
end $$;
