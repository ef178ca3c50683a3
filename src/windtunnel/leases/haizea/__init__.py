"""Haizea's corner: its oddities, and what it does to workloads before they are scheduled."""
