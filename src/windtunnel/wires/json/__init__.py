"""Batsim's JSON protocol (seed 004; batsim-protocol.md): version 3 and 4 of Batsim, both roles."""
