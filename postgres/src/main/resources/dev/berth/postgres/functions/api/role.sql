-- The four grants. They are for the owner of the schema, or a superuser, to give.

-- Lets a role submit tasks: of these types, into these queues; null: of all, into all.
create function berth.allow_submit(role text, types text[] default null, queues text[] default null) returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  perform berth_private.allow(allow_submit.role, 'submit', allow_submit.types, allow_submit.queues);
end $$;

-- Lets a role run tasks: claim them, hand in outcomes, and the upkeep that workers do.
create function berth.allow_work(role text) returns void language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  perform berth_private.allow(allow_work.role, 'work', null, null);
end $$;

-- Lets a role read everything that views and reports show, payloads and results among it.
create function berth.allow_read(role text) returns void language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  perform berth_private.allow(allow_read.role, 'read', null, null);
end $$;

create function berth.forbid_submit(role text) returns void language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  perform berth_private.forbid(forbid_submit.role, 'submit');
end $$;

create function berth.forbid_work(role text) returns void language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  perform berth_private.forbid(forbid_work.role, 'work');
end $$;

create function berth.forbid_read(role text) returns void language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  perform berth_private.forbid(forbid_read.role, 'read');
end $$;
