select kind, name, fault from berth.unreadable() order by kind, name
