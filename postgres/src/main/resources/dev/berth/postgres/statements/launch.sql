select berth.launch(
  statement   => ?,
  topics      => ?,
  transaction => ?,
  timeout     => ? operator(pg_catalog.*) interval '1 millisecond',
  due_at      => ?::pg_catalog.timestamptz,
  priority    => ?,
  queue       => ?,
  id          => ?
)
