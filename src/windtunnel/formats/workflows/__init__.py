"""Workflows: tasks that wait for each other."""
