"""Where shards are written: local processes or a Dask cluster."""
