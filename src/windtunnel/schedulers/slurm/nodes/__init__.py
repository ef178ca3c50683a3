"""The nodes of a site as sets of bits, and what jobs hold of them."""
