"""Pictures of a run: one self-contained HTML page, and static plots."""
