"""From the arguments of a call to a plan, and from a plan to its statement."""
