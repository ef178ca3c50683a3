"""The ``slurm`` scheduler: what Slurm 22.05 decides, one file per concern.

A pure core decides (a cluster's state, jobs and an instant go in; starts, plans and reasons come out); a component
drives it at its clocks on our engine. Paragraphs (section sign and number) are those of the page of Slurm's rules,
which is kept beside the recordings of the real Slurm that the core is tested against.

The core stands on floors, each of which imports only what is below it: ``nodes`` and ``shares``; ``jobs``; ``limits``
and ``select``; ``plans``; ``state``, which holds all of these; ``preemption``; and the ``loops`` that decide.
"""
