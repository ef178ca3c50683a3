"""What a simulation knows: the world, its calendar, its hosts. Plain data; the lowest floor of the engine."""
