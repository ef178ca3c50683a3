"""Our batch schedulers where the input speaks of parts of hosts: they pack jobs, and honour every amount.

On whole hosts they decide as their simple forms do, which count hosts and are much faster.
"""
