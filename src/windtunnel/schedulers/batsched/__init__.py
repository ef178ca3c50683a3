"""The decisions of batsched 1.4.0, host by host (spec: schedulers.md sections 1 to 6)."""
