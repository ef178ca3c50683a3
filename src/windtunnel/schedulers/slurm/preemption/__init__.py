"""Who makes room for whom, what becomes of them, and time slices."""
