insert into berth.submitting_one (id, type, queue, priority, payload, metadata, lane, limits, weights, said_slots)
values (?, ?, ?, ?, ?, ?::pg_catalog.text[], ?, ?, ?, ?)
returning position
