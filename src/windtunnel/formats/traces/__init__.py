"""Logs of batch systems and grids: rows of jobs that were run, replayed as workloads."""
