"""Batsim's workloads and external events (JSON), of all generations."""
