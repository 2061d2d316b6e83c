"""A cluster of SLURM jobs for `gen`, by dask-jobqueue, with one worker per job.

    pip install dask-jobqueue
    python slurm.py 200 clutrr --rows 1000000000 --shards 1GB --out /shared/stories

The jobs must see the same Python environment, and either share --out or write to a store. A job
that ends, by its time limit or otherwise, loses the shard it was making; SLURM restarts it. If
`gen` is killed, the same command resumes the run.
"""

import subprocess
import sys

from dask_jobqueue import SLURMCluster


def main() -> int:
    """Start the jobs, run `gen` on them, stop them."""
    jobs, words = int(sys.argv[1]), sys.argv[2:]
    with SLURMCluster(
        cores=1,
        processes=1,
        memory="3GB",
        walltime="12:00:00",
        job_extra_directives=["--requeue"],
    ) as cluster:
        cluster.scale(jobs=jobs)
        cluster.wait_for_workers(1)
        where = ["--engine", "dask", "--cluster", cluster.scheduler_address]
        return subprocess.run(["gen", *words, *where], check=False).returncode  # noqa: S603, S607


if __name__ == "__main__":
    sys.exit(main())
