"""ElastiSim's protocol over ZeroMQ (PAIR), in both roles: its algorithms drive us, our schedulers drive it."""
