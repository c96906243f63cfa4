insert into berth.naming_paces (keys, paces) values (?, ?)
