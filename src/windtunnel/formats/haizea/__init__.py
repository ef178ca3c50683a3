"""Haizea's leases (LWF, XML) and configurations."""
