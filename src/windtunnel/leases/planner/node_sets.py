"""Sets of nodes as ints: bit 0 is node 1, so that hundreds of nodes are compared in one operation."""

__all__ = ["positions"]


def positions(mask: int) -> list[int]:
    """The nodes (bits) of a set, ascending."""
    found = []
    while mask:
        low = mask & -mask
        found.append(low.bit_length() - 1)
        mask ^= low
    return found
