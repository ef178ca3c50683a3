"""Limits of QOS and associations: what they refuse, when, and the Reason they give."""
