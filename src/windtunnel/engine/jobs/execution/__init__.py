"""How profiles run: a tree of nodes per job, one module per kind of profile.

A job whose only profile is a delay has no node at all: it is one event in the calendar (see ``starting``).
"""
