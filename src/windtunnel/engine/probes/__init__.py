"""Probes: measuring hosts and links when a decision component wants it."""
