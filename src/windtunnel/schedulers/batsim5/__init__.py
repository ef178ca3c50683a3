"""The decisions of Batsim 5's own components (spec: schedulers.md section 7)."""
