"""Numbers of things in words."""

__all__ = ["counted", "too_many"]


def counted(number: int, thing: str, things: str = "") -> str:
    """How many there are of something: ``1 job``, ``2,000 jobs``; ``things`` where the plural is not one more s."""
    return f"{number:,} {thing if number == 1 else things or thing + 's'}"


def too_many(number: int, thing: str, there: int) -> str:
    """Why a request for so many cannot be met: ``asks for 5 hosts, there is 1``."""
    return f"asks for {counted(number, thing)}, there {'is' if there == 1 else 'are'} {there:,}"
