"""Workloads made to order: generators from the literature, and operations on any workload."""
