"""Rounds: what happens at an instant, one message to each decision component, and what it decides."""
