"""Plan a call from its arguments, and render the statement of a plan."""
