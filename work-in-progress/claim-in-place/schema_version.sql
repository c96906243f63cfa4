-- Run by the migration runner before anything else, under its advisory lock; safe to repeat.
create schema if not exists berth;

create table if not exists berth.schema_version (
  number     integer     primary key,
  name       text        not null,
  checksum   text        not null,
  applied_at timestamptz not null default clock_timestamp()
);
