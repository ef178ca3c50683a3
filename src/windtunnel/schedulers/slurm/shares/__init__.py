"""Accounts and users: who shares with whom, what each has used, and their fair share."""
