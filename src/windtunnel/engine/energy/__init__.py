"""Energy of hosts, jobs and racks."""
