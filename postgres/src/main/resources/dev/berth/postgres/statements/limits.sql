-- Limits whose number was said or that are in use; one of many keys only while it is in use.
select k.key, coalesce(n.slots, 0) as slots, n.slots is null as unlimited,
       coalesce((select sum(g.used) from berth.slot_group g where g.key = k.key), 0) as used,
       (select count(*) from berth.task t where t.state = 'ready' and t.lane is not null and k.key = any (t.limits)) as waiting,
       n.paused,
       case when coalesce(l.override_slots, r.override_slots) is not null then 'OVERRIDE'
            when coalesce(l.code_slots, r.code_slots) is null then 'SUBMIT'
            when case when l.code_slots is null then r.in_file else l.in_file end then 'FILE' else 'CODE' end as source
  from (select l.key from berth.task_limit l where split_part(l.key, '/', 3) = '' or split_part(l.key, '/', 4) <> ''
        union select g.key from berth.slot_group g) k
  left join berth.task_limit l on l.key = k.key
  left join berth.task_limit r on r.key = berth.rule_of(k.key)
 cross join lateral berth.limit_of(k.key) n
 where n.slots is not null or n.paused
 order by k.key
