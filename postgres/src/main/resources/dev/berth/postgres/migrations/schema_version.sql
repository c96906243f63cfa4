-- Run by the migration runner before anything else, under its advisory lock; safe to repeat.
create schema if not exists berth;

create schema if not exists berth_private;

-- Number 0: all functions and views, which are replaced as a whole.
create table if not exists berth_private.schema_version (
  number     integer     primary key,
  name       text        not null,
  checksum   text        not null,
  applied_at timestamptz not null default clock_timestamp()
);
