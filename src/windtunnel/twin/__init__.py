"""A site's twin: its own configuration and log replayed, compared with what was, and changed."""
