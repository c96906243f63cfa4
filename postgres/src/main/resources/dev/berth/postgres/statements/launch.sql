select berth.launch(
  statement   => ?,
  topics      => ?,
  transaction => ?,
  timeout     => ? * interval '1 millisecond',
  due_at      => ?::timestamptz,
  priority    => ?,
  queue       => ?,
  id          => ?
)
