-- A version 7 UUID: milliseconds, then random bits.
create function berth_private.new_id() returns uuid language sql volatile as $$
  select encode(
    set_bit(set_bit(
      overlay(uuid_send(gen_random_uuid())
              placing substring(int8send((extract(epoch from clock_timestamp()) * 1000)::bigint) from 3)
              from 1 for 6),
      52, 1), 53, 1), 'hex')::uuid
$$;

-- An id that is made from a text, as the client makes it: a version 3 UUID. Its first half is that of the text, its second
-- half that of the text and its owner, a type or a workflow. So texts of several types make several ids, all in one range.
create function berth_private.named_id(p_owner text, p_name text) returns uuid language sql immutable as $$
  select (left(encode(set_byte(n.hash, 6, get_byte(n.hash, 6) & 15 | 48), 'hex'), 16)
          || right(encode(set_byte(o.hash, 8, get_byte(o.hash, 8) & 63 | 128), 'hex'), 16))::uuid
    from (select decode(md5(convert_to('berth:' || p_name, 'UTF8')), 'hex')) as n (hash),
         (select decode(md5(convert_to('berth:' || p_owner || E'\n' || p_name, 'UTF8')), 'hex')) as o (hash)
$$;
