"""The campaign: seeded, budgeted generators of whatever may be fed in; no traceback, no hang, no mixture may result.

``make campaign BUDGET=600 SEED=1`` runs it for so many seconds; ``make test`` runs a few hundred cases of it. A case
that fails is made smaller and kept in ``kept/``, where every run of the tests tries it again.
"""
