"""What repeated runs show: intervals, paired differences, rankings, warm-up. scipy does the mathematics."""
