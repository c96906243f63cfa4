-- Limits whose number was said or that are in use, with who holds their slots; one of many keys only while it is in use. One
-- statement, one moment. Who is heavy may hold slots of several groups: shown once, with the first of them.
with holder as (
  select h.key, min(h.number) as number, sum(h.count) as count, h.task_id, h.token, h.type, s.worker, s.expires_at
    from berth.slot_holder h
    join berth.session s on s.id = h.session_id
   group by h.key, h.task_id, h.token, h.type, s.worker, s.expires_at
)
select k.key as limit_key, coalesce(n.slots, 0) as slots, n.slots is null as unlimited,
       coalesce((select sum(g.used) from berth.slot_group g where g.key = k.key), 0) as used,
       coalesce(w.tasks, 0) as waiting, n.paused,
       case when coalesce(l.override_slots, r.override_slots) is not null then 'OVERRIDE'
            when coalesce(l.code_slots, r.code_slots) is null then 'SUBMIT'
            when case when l.code_slots is null then r.in_file else l.in_file end then 'FILE' else 'CODE' end as source,
       h.*
  from (select l.key from berth.task_limit l where split_part(l.key, '/', 3) = '' or split_part(l.key, '/', 4) <> ''
        union select g.key from berth.slot_group g) k
  left join berth.task_limit l on l.key = k.key
  left join berth.task_limit r on r.key = berth.rule_of(k.key)
 cross join lateral berth.limit_of(k.key) n
  left join berth.waiting_under(100000) w on w.key = k.key
  left join holder h on h.key = k.key
 where n.slots is not null or n.paused
 order by k.key, h.number, h.token
