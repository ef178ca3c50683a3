"""Studies: many runs from one description, resumable, on this machine or a cluster, with statistics over them."""
