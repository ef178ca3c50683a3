"""Policies of the literature: orders of the queue, backfilling by predictions, and what simulators made of them."""
