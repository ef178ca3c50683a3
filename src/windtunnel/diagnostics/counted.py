"""Numbers of things in words."""

__all__ = ["counted"]


def counted(number: int, thing: str, things: str = "") -> str:
    """How many there are of something: ``1 job``, ``2,000 jobs``; ``things`` where the plural is not one more s."""
    return f"{number:,} {thing if number == 1 else things or thing + 's'}"
