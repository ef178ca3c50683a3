"""Sites: platforms with hosts, and the environments they stand in."""
