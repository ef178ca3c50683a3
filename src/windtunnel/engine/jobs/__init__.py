"""What happens to jobs: they are submitted, started, executed, suspended, ended."""
