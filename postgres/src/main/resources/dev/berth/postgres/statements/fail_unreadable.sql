select failed, last from berth.fail_unreadable(?, ?, ?)
