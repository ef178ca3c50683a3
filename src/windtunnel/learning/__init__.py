"""Learning to schedule: a Gymnasium environment over simulations, its rewards, and a way to learn linear policies.

The environment is in :mod:`windtunnel.learning.environment` and needs the extra ``rl``; a policy that was learned is
a scheduler like any other (:mod:`windtunnel.schedulers.learned`).
"""
