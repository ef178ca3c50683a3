"""Schedulers whose choices are made by a learning agent between two rounds, or by a policy that it has learned."""
