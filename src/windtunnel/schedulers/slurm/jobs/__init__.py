"""Jobs as the core keeps them: what they ask for, wait for and take, and their priority."""
