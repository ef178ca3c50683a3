"""Slurm: slurm.conf, accounting, and the notations they share."""
