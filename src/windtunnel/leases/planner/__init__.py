"""The lease planner: a slot table, mappers and policies. Pure: it knows no files, no clock and no engine."""
