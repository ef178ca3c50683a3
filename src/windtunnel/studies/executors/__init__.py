"""Where the points of a study are simulated: in this process, in local ones, or on a cluster that there is."""
