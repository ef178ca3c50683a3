"""Any scheduler on a Slurm site: kept to its partitions, and to the limits of accounts and QOS."""
