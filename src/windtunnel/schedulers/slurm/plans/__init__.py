"""What backfill plans: the map of time and nodes, and what is kept of it from cycle to cycle."""
