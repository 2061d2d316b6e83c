"""Engines that run work on shards: local processes or a Dask cluster."""
