"""Jobs that may change size: their applications, run lane by lane, and the changes of their hosts."""
