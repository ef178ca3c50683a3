"""Windtunnel: a wind tunnel for schedulers."""
