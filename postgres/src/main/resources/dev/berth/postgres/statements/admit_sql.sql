select refused, call, direct, in_transaction, statement, search_path, timeout_ms, left_behind, proof
  from berth.admit_sql(?, ?, ?, ?)
