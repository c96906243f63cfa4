select pg_catalog.current_setting('max_worker_processes')::pg_catalog.int4
