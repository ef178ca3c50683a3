"""Policies for jobs that may change size: who gets which size, when it starts and while it runs."""
