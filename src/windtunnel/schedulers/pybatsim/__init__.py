"""The decisions of pybatsim 3.2.1's schedulers (spec: schedulers.md section 8)."""
