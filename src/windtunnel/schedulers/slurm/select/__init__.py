"""Where a job goes: select/linear and select/cons_tres, the topology, and the future without the jobs that end."""
